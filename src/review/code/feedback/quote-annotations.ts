import type { CodeAnnotation } from "../../api-types.ts";
import type { DiffLease } from "../../git/diff-session.ts";
import { findFile, readSide } from "../../git/file-text.ts";
import { linesMeant, type QuotedAnnotation } from "./feedback-text.ts";

/** Finds the code that each annotation refers to. Code that is not found is left out. Never rejects. */
export async function quoteAnnotations(
  diff: DiffLease,
  annotations: readonly CodeAnnotation[],
): Promise<QuotedAnnotation[]> {
  const texts = new Map<string, Promise<readonly string[]>>();
  const linesOf = ({ filePath, side }: CodeAnnotation) => {
    const key = `${side}\0${filePath}`;
    const known = texts.get(key) ?? readLines(diff, filePath, side);
    texts.set(key, known);
    return known;
  };
  return Promise.all(
    annotations.map(async (annotation): Promise<QuotedAnnotation> => {
      const { filePath, side } = annotation;
      const [first, last] = linesMeant(annotation);
      const lines = (await linesOf(annotation)).slice(Math.max(0, first - 1), last);
      const oldPath = findFile(diff.snapshot, filePath, side)?.oldPath;
      return {
        annotation,
        ...(lines.length === 0 ? {} : { code: lines.join("\n") }),
        ...(oldPath === undefined ? {} : { oldPath }),
      };
    }),
  );
}

async function readLines(diff: DiffLease, path: string, side: "old" | "new"): Promise<readonly string[]> {
  try {
    const text = (await readSide(diff.git, diff.snapshot, path, side)).toString();
    return text.replace(/\n$/, "").split(/\r?\n/);
  } catch {
    return [];
  }
}
