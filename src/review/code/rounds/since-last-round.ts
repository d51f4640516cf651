import type { AnnotationPosition, RoundAnnotation, SinceLastRound } from "../../api-types.ts";
import type { DiffLease } from "../../diff-session.ts";
import { readKnownLines } from "../../known-lines.ts";
import { linesSince } from "./round-lines.ts";
import { isSameDiff, type StoredRound } from "./round-store.ts";

/**
 * Finds the lines of a diff that are new since the last round with the same comparison, and the current lines of the
 * annotations of the last round. `rounds` are the earlier rounds, oldest first; `paths` are the paths that limit the
 * diff.
 */
export async function sinceLastRound(
  diff: DiffLease,
  rounds: readonly [StoredRound, ...StoredRound[]],
  paths: readonly string[],
): Promise<SinceLastRound> {
  const { snapshot } = diff;
  const last = rounds.at(-1) ?? rounds[0];
  const compared = rounds.findLast((round) => isSameDiff(round, { ...snapshot.plan, paths }));
  const then = new Map(compared?.files.map((file) => [file.path, file]));
  const changed = snapshot.files.filter(({ path, fingerprint }) => {
    const before = then.get(path);
    return before?.lines !== undefined && before.fingerprint !== fingerprint;
  });
  const files = await Promise.all(
    changed.map(async (file) => ({
      path: file.path,
      ...(await linesSince(snapshot, file, then.get(file.path)?.lines ?? "")),
    })),
  );
  const positions = await Promise.all(last.annotations.map((annotation) => findPosition(diff, annotation)));
  return {
    diffId: snapshot.diffId,
    comparedWith: compared?.round,
    files,
    places: positions.flatMap((position) => position ?? []),
  };
}

/** Finds the lines of an annotation or of its suggestion; undefined if neither is in the file. */
async function findPosition(
  diff: DiffLease,
  { id, filePath, side, lineStart, code, suggestedCode }: RoundAnnotation,
): Promise<AnnotationPosition | undefined> {
  if (code === undefined) return undefined;
  const known = await readKnownLines(diff, filePath, side).catch(() => undefined);
  if (!known) return undefined;
  const lines = known.map((line) => line ?? "");
  const unchanged = nearest(lines, code, lineStart);
  // An empty suggestion removes the lines, but missing lines do not prove that it was applied.
  const suggested = suggestedCode ? nearest(lines, suggestedCode, lineStart) : undefined;
  if (suggested && (!unchanged || contains(suggested, unchanged))) return { id, ...suggested, applied: true };
  return unchanged && { id, ...unchanged };
}

interface Lines {
  readonly lineStart: number;
  readonly lineEnd: number;
}

function contains(outer: Lines, inner: Lines): boolean {
  return outer.lineStart <= inner.lineStart && inner.lineEnd <= outer.lineEnd;
}

/** Finds the occurrence of `text` nearest to a line number. Lines start at 1; both ends are inclusive. */
function nearest(lines: readonly string[], text: string, lineStart: number): Lines | undefined {
  const wanted = text.split("\n");
  let best: number | undefined;
  for (let at = lines.indexOf(wanted[0] ?? ""); at >= 0; at = lines.indexOf(wanted[0] ?? "", at + 1)) {
    if (!wanted.every((line, step) => lines[at + step] === line)) continue;
    if (best === undefined || Math.abs(at + 1 - lineStart) < Math.abs(best - lineStart)) best = at + 1;
  }
  return best === undefined ? undefined : { lineStart: best, lineEnd: best + wanted.length - 1 };
}
