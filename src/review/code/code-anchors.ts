import { AppError } from "../../errors.ts";
import type { Thread, ThreadAnchor } from "../api-types.ts";
import type { DiffLease, DiffSession } from "../diff-session.ts";
import { findFile } from "../git/file-text.ts";
import { readKnownLines } from "../known-lines.ts";
import { findLines, followLines, getContext } from "../live/follow-lines.ts";
import type { ReviewThreads } from "../live/review-threads.ts";
import type { AnchorContext } from "../live/session-log.ts";
import type { ThreadAnchors } from "../live/thread-anchors.ts";
import type { FollowedAnchor, ThreadStore } from "../live/thread-store.ts";
import { locateInNotebook } from "../notebook/locate-in-notebook.ts";

type LinesAnchor = Extract<ThreadAnchor, { kind: "lines" }>;
type Side = LinesAnchor["side"];

/** Locates anchors in the current diff: lines of either side of a file, whole files, and the review as a whole. */
export function createCodeAnchors(diffs: DiffSession): ThreadAnchors {
  return {
    async locate(anchor) {
      if (anchor.kind === "review") return { anchor };
      if (anchor.kind === "plan")
        throw new AppError("validation", 'anchor: a diff has no anchors of the kind "plan"');
      const diff = await diffs.current();
      try {
        if (anchor.kind === "file") {
          await expectFile(diff, anchor.path);
          return { anchor: { kind: "file", path: anchor.path } };
        }
        const { path, side, lineStart, lineEnd } = anchor;
        const known = await readKnownLines(diff, path, side).catch((error: unknown) => {
          throw noAnchor(error);
        });
        const lines = known.map((line) => line ?? "");
        if (lineEnd > lines.length)
          throw new AppError(
            "validation",
            `anchor: ${path} has ${lines.length} lines on the ${side} side, and lineEnd is ${lineEnd}`,
          );
        if (known.slice(lineStart - 1, lineEnd).includes(undefined))
          throw new AppError(
            "validation",
            `anchor: lines ${lineStart} to ${lineEnd} of ${path} are not completely in the patch`,
          );
        const code = lines.slice(lineStart - 1, lineEnd).join("\n");
        const cell = await locateInNotebook(diff, path, side, { lineStart, lineEnd });
        return {
          anchor: { kind: "lines", path, side, lineStart, lineEnd, code, ...(cell && { cell }) },
          context: getContext(lines, anchor),
        };
      } finally {
        diff.release();
      }
    },
  };
}

/** Converts the `not_found` error of a missing file to `validation`. Returns any other error unchanged. */
function noAnchor(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "not_found") return error;
  return new AppError("validation", `anchor: ${error.message}`, { cause: error });
}

async function expectFile(diff: DiffLease, path: string): Promise<void> {
  if (findFile(diff.snapshot, path, "new")) return;
  await diff.sides.read(path, "new").catch((error: unknown) => {
    // The file exists, although it is too large to show.
    if (!(error instanceof AppError) || error.code !== "too_large") throw noAnchor(error);
  });
}

/**
 * Returns the lines of one side of a file, or undefined if it cannot be read. A line that is not known, because it is
 * outside the patch, is an empty string.
 */
async function findLinesOf(
  diff: DiffLease,
  path: string,
  side: Side,
): Promise<readonly string[] | undefined> {
  const known = await readKnownLines(diff, path, side).catch(() => undefined);
  return known?.map((line) => line ?? "");
}

/**
 * Moves all threads to where their anchors are in `after`. `before` is the diff that the threads refer to; undefined if
 * it is unknown, for example after a crash. A thread that is outdated or cannot be followed from `before` is located by
 * its code and the lines around that code. A thread of a forge that has never been located stays outdated.
 */
export async function followCode(
  store: ThreadStore,
  before: DiffLease | undefined,
  after: DiffLease,
): Promise<void> {
  const texts = new Map<string, Promise<readonly string[] | undefined>>();
  const readLinesOnce = (diff: DiffLease, path: string, side: Side) => {
    const key = `${diff === after}\0${side}\0${path}`;
    const reading = texts.get(key) ?? findLinesOf(diff, path, side);
    texts.set(key, reading);
    return reading;
  };
  const followFile = async (path: string): Promise<FollowedAnchor> => {
    const now = pathNow(after, path, "new");
    const exists = await expectFile(after, now).then(
      () => true,
      () => false,
    );
    return { anchor: { kind: "file", path: exists ? now : path }, outdated: !exists };
  };
  const followAnchor = async (
    { outdated }: Thread,
    anchor: LinesAnchor,
    context: AnchorContext | undefined,
  ): Promise<FollowedAnchor> => {
    const { side } = anchor;
    // A forge may return neither the code of an outdated thread nor its neighbors, so any line could match.
    if (outdated && !context) return { anchor, outdated };
    const path = pathNow(after, anchor.path, side);
    const now = await readLinesOnce(after, path, side);
    if (!now) return { anchor, outdated: true };
    const known = before && !outdated ? await readLinesOnce(before, anchor.path, side) : undefined;
    const followed = known ? followLines(known, now, anchor) : "unknown";
    const surroundings = known ? getContext(known, anchor) : (context ?? { before: [], after: [] });
    const range =
      followed === "unknown"
        ? findLines(now, anchor.code.split("\n"), surroundings, anchor.lineStart)
        : followed;
    if (!range) return { anchor, outdated: true, context: surroundings };
    const code = now.slice(range.lineStart - 1, range.lineEnd).join("\n");
    const { cell: _cell, ...rest } = anchor;
    const cell = await locateInNotebook(after, path, side, range);
    return {
      anchor: { ...rest, path, ...range, code, ...(cell && { cell }) },
      outdated: false,
      context: getContext(now, range),
    };
  };
  await store.follow(async (thread, context) => {
    const { anchor, outdated } = thread;
    if (anchor.kind === "lines") return followAnchor(thread, anchor, context);
    return anchor.kind === "file" ? followFile(anchor.path) : { anchor, outdated };
  });
}

/** Returns the path that a file has in a diff: on the new side, its new name if the diff renames it. */
function pathNow({ snapshot }: DiffLease, path: string, side: Side): string {
  if (side === "old" || snapshot.files.some((file) => file.path === path && file.status !== "deleted"))
    return path;
  return snapshot.files.find((file) => file.oldPath === path && file.status === "renamed")?.path ?? path;
}

/**
 * Creates a diff, calls `onTaken` as soon as it is current, and moves the threads to it. If the threads cannot be
 * moved, the previous diff becomes current again. The caller releases the diff.
 */
export function switchWithThreads(
  diffs: DiffSession,
  diffType: string,
  threads: Pick<ReviewThreads, "opened">,
  onTaken: () => void = () => {},
): Promise<DiffLease> {
  return diffs.switchTo(diffType, async (after, getPrevious) => {
    onTaken();
    const store = await threads.opened;
    if (store === undefined || store.log.threads.size === 0) return;
    const before = await getPrevious();
    await followCode(store, before, after).finally(() => before?.release());
  });
}
