import { createHash } from "node:crypto";
import { applyPatch as applyToOther } from "diff/lib/patch/apply.js";
import { structuredPatch } from "diff/lib/patch/create.js";
import { AppError } from "../../../errors.ts";
import type { DiffFile } from "../../api-types.ts";
import type { DiffLease } from "../../diff-session.ts";
import { applyPatch } from "../../git/apply-patch.ts";
import { readPatch } from "../../git/file-text.ts";
import { isNullObject } from "../../git/section-header.ts";
import type { SnapshotFile } from "../../git/snapshot.ts";
import type { SentDiff, SentFile } from "./sent-diff.ts";

/** Maximum edits between two versions; beyond it, all lines count as changed. */
const MAX_EDITS = 20_000;
/** Maximum milliseconds for one file; after it, all lines count as changed. */
const FILE_LIMIT = 300;
/** Milliseconds for all files together; after them, each further file has 1 ms. */
const TOTAL_LIMIT = 5_000;

export interface Interdiff {
  readonly files: readonly DiffFile[];
  readonly rawPatch: string;
}

/** The text of a file, one character per byte; undefined if the file does not exist. */
type Text = string | undefined;

/**
 * Compares a diff with the one on which feedback was sent. If the base has changed as well, for example by a rebase,
 * the old change is first applied to the new base, so that only the author's changes remain. If the old change does not
 * apply, the new sides of the two diffs are compared.
 */
export async function compareWithSent(diff: DiffLease, sent: SentDiff): Promise<Interdiff> {
  const then = new Map(sent.files.map((file) => [file.path, file]));
  const now = new Map(diff.snapshot.files.map((file) => [file.path, file]));
  const deadline = performance.now() + TOTAL_LIMIT;
  const files: DiffFile[] = [];
  let rawPatch = "";
  for (const path of new Set([...now.keys(), ...then.keys()])) {
    const [before, after] = [then.get(path), now.get(path)];
    if (before && after && before.fingerprint === after.fingerprint) continue;
    const compared = await compareFile(diff, path, before, after, deadline).catch((error: unknown) =>
      wholeChange(diff, path, after, error),
    );
    if (!compared) continue;
    const patch = Buffer.from(compared.patch, "latin1").toString();
    files.push({
      index: files.length,
      path,
      status: compared.status,
      additions: compared.additions,
      deletions: compared.deletions,
      binary: compared.binary,
      generated: after?.generated ?? false,
      patchSize: Buffer.byteLength(patch),
      fingerprint: createHash("sha256").update(patch).digest("hex").slice(0, 32),
    });
    rawPatch += patch;
  }
  return { files, rawPatch };
}

interface Compared {
  readonly status: DiffFile["status"];
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  readonly patch: string;
}

async function compareFile(
  diff: DiffLease,
  path: string,
  before: SentFile | undefined,
  after: SnapshotFile | undefined,
  deadline: number,
): Promise<Compared | undefined> {
  if (after?.binary) return { ...NO_LINES, binary: true, patch: `${header(path, "", "")}${BINARY}` };
  const base = await textOn(diff, path, "old");
  const next = await textOn(diff, path, "new");
  if (after && base === undefined && next === undefined) return wholeChange(diff, path, after);
  // If the file's old patch is not known, the whole change counts as new.
  const previous =
    before?.patch === undefined ? base : await previousText(diff, before, before.patch, after, base);
  if (previous === next) return undefined;
  return comparePair(path, previous, next, Math.max(1, Math.min(FILE_LIMIT, deadline - performance.now())));
}

/**
 * Returns all of a file's current change, for a file that cannot be compared, for example a submodule. Throws `error`
 * unless it means that the file cannot be compared.
 */
async function wholeChange(
  diff: DiffLease,
  path: string,
  after: SnapshotFile | undefined,
  error?: unknown,
): Promise<Compared> {
  if (error !== undefined && !(error instanceof AppError && NOT_COMPARABLE.has(error.code))) throw error;
  if (!after) return { ...NO_LINES, binary: false, patch: header(path, "", "") };
  const { status, additions, deletions, binary } = after;
  const patch = await readPatch(diff.snapshot, after).then(
    (bytes) => bytes.toString("latin1"),
    () => undefined,
  );
  if (patch === undefined) return { ...NO_LINES, binary, patch: header(path, "", "") };
  return { status, additions, deletions, binary, patch };
}

const NOT_COMPARABLE: ReadonlySet<AppError["code"]> = new Set(["not_found", "too_large", "validation"]);
const NO_LINES = { status: "modified", additions: 0, deletions: 0 } as const;
const BINARY = "Binary files differ\n";

/**
 * Returns the text of a file with the old change applied to the new base, or the new side of the earlier diff if the
 * change does not apply.
 */
async function previousText(
  diff: DiffLease,
  sent: SentFile,
  patch: string,
  after: SnapshotFile | undefined,
  base: Text,
): Promise<Text> {
  const oldText = isMissing(sent.oldBlob) ? undefined : await oldTextOf(diff, sent, after, base);
  if (isMissing(sent.newBlob)) return undefined;
  const previous = applyPatch(Buffer.from(oldText ?? "", "latin1"), Buffer.from(patch, "latin1")).toString(
    "latin1",
  );
  // If the change has been committed since, the new base contains it.
  if (base === oldText || base === previous || base === undefined || oldText === undefined) return previous;
  return rebased(patch, base) ?? previous;
}

function isMissing(blob: string | undefined): boolean {
  return blob !== undefined && isNullObject(blob);
}

/** Returns the old side of the earlier diff: `base` if its object name is unknown or has not changed. */
async function oldTextOf(
  { sides }: DiffLease,
  { oldBlob, path }: SentFile,
  after: SnapshotFile | undefined,
  base: Text,
): Promise<Text> {
  if (oldBlob === undefined || oldBlob === after?.oldBlob) return base;
  if (!sides.blob) throw new AppError("not_found", `The earlier text of ${path} is not available`);
  return (await sides.blob(oldBlob, path)).toString("latin1");
}

/** Applies a patch to a text that it was not made from. Returns undefined if a hunk does not fit. */
function rebased(patch: string, base: string): Text {
  const start = patch.search(/^@@ /m);
  if (start < 0) return base;
  try {
    const applied = applyToOther(base, patch.slice(start), { autoConvertLineEndings: false });
    return applied === false ? undefined : applied;
  } catch {
    return undefined;
  }
}

/** Returns the text of a side; undefined if the file does not exist there. */
async function textOn(diff: DiffLease, path: string, side: "old" | "new"): Promise<Text> {
  try {
    return (await diff.sides.read(path, side)).toString("latin1");
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

function comparePair(path: string, previous: Text, next: Text, timeout: number): Compared {
  const status = previous === undefined ? "added" : next === undefined ? "deleted" : "modified";
  const [before, after] = [previous ?? "", next ?? ""];
  const options = { context: 3, maxEditLength: MAX_EDITS, timeout };
  const compared = structuredPatch("a", "b", before, after, "", "", options);
  const hunks = compared?.hunks ?? [wholeHunk(before, after)];
  let text = header(path, status, before === after ? "" : "---");
  let [additions, deletions] = [0, 0];
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    // For a side without lines, git gives the number of the line before the hunk.
    const [from, to] = [oldLines === 0 ? oldStart - 1 : oldStart, newLines === 0 ? newStart - 1 : newStart];
    text += `@@ -${from},${oldLines} +${to},${newLines} @@\n${lines.join("\n")}\n`;
    for (const line of lines) {
      if (line.startsWith("+")) additions += 1;
      else if (line.startsWith("-")) deletions += 1;
    }
  }
  return { status, additions, deletions, binary: false, patch: text };
}

/** Returns a hunk that replaces one text by another. */
function wholeHunk(before: string, after: string) {
  const [removed, added] = [markedLines("-", before), markedLines("+", after)];
  const count = (lines: readonly string[]) => lines.filter((line) => !line.startsWith("\\")).length;
  return {
    oldStart: 1,
    oldLines: count(removed),
    newStart: 1,
    newLines: count(added),
    lines: [...removed, ...added],
  };
}

function markedLines(marker: string, text: string): string[] {
  if (text === "") return [];
  const lines = text.replace(/\n$/, "").split("\n");
  const marked = lines.map((line) => marker + line);
  return text.endsWith("\n") ? marked : [...marked, "\\ No newline at end of file"];
}

/** Returns the header of a file's patch in git's format. */
function header(path: string, status: DiffFile["status"] | "", names: "---" | ""): string {
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const mode =
    status === "added" ? "new file mode 100644\n" : status === "deleted" ? "deleted file mode 100644\n" : "";
  const sides =
    names === ""
      ? ""
      : `--- ${status === "added" ? "/dev/null" : from}\n+++ ${status === "deleted" ? "/dev/null" : to}\n`;
  return `diff --git ${from} ${to}\n${mode}${sides}`;
}

/** Returns a name that git can read: in quotes and with octal escapes, or unchanged if it needs neither. */
function quoted(name: string): string {
  const bytes = Buffer.from(name).toString("latin1");
  if (!/["\\\u0000-\u001f\u007f-\u00ff]/.test(bytes)) return name;
  const escaped = bytes.replace(/["\\\u0000-\u001f\u007f-\u00ff]/g, (byte) =>
    byte === '"' || byte === "\\" ? `\\${byte}` : `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}
