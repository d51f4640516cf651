import { readFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { AppError } from "../../../errors.ts";
import { getReadReason } from "../../../files/read-reason.ts";
import { toRealPath } from "../../../files/real-path.ts";
import type { ReviewContext } from "../../../review/context.ts";
import { isWithin } from "../../../review/is-within.ts";
import { parseSarif, type SarifFinding } from "../../../review/live/parse-sarif.ts";
import type { ThreadStore } from "../../../review/live/thread-store.ts";
import type { Output } from "../../output.ts";

/** Returns the findings of a SARIF file. Throws `input`. */
export async function readSarif(path: string): Promise<readonly SarifFinding[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new AppError("input", `Cannot read ${path}: ${getReadReason(cause)}`, {
      cause,
      hint: "Name a SARIF file with --sarif.",
    });
  }
  return parseSarif(text, path);
}

/**
 * Adds findings as threads. A finding whose file or lines are not in this review is attached to the review as a whole.
 */
export async function addFindings(
  findings: readonly SarifFinding[],
  store: ThreadStore,
  { mode, project }: Pick<ReviewContext, "mode" | "project">,
  output: Output,
): Promise<void> {
  const known = new Set([...store.log.threads.values()].map(({ messages }) => messages[0]?.markdown));
  let unlocated = 0;
  for (const { body, author, baseFolder } of findings) {
    // A live review that takes over an interrupted review already has these threads.
    if (known.has(body.markdown)) continue;
    const anchor = withinProject(body.anchor, project, baseFolder);
    try {
      await store.create(body, await mode.anchors.locate(anchor), author);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "storage") throw error;
      unlocated += 1;
      const markdown = "path" in anchor ? `\`${anchor.path}\`: ${body.markdown}` : body.markdown;
      if (!known.has(markdown))
        await store.create({ ...body, markdown }, { anchor: { kind: "review" } }, author);
    }
  }
  if (unlocated === 1)
    output.note("1 finding refers to lines outside this review. It was added to the review as a whole.");
  else if (unlocated > 1)
    output.note(
      `${unlocated} findings refer to lines outside this review. They were added to the review as a whole.`,
    );
}

/**
 * Returns an anchor with a path relative to the project. A log from another machine has base folders of that machine;
 * its paths are taken as relative to the project.
 */
function withinProject(
  anchor: SarifFinding["body"]["anchor"],
  project: string,
  baseFolder: string | undefined,
): SarifFinding["body"]["anchor"] {
  if (!("path" in anchor)) return anchor;
  if (baseFolder !== undefined && isAbsolute(baseFolder)) {
    const resolved = withinProject({ ...anchor, path: join(baseFolder, anchor.path) }, project, undefined);
    return "path" in resolved && isWithin(project, join(project, resolved.path)) ? resolved : anchor;
  }
  if (!isAbsolute(anchor.path)) return anchor;
  // The folder is resolved, because a review's folder has its links resolved; the file itself may be a link.
  const path = join(toRealPath(dirname(anchor.path)), basename(anchor.path));
  return { ...anchor, path: relative(toRealPath(project), path).split(sep).join("/") };
}
