import { createHash, type Hash } from "node:crypto";
import { AppError } from "../../errors.ts";
import { type DiffView, NAMES_FORM } from "./diff-arguments.ts";
import type { DiffPlan } from "./diff-types.ts";
import { withTimeFor } from "./fill-index.ts";
import { MAX_COMPARED_BYTES } from "./hardening.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { splitAtNul } from "./nul-list.ts";
import { type ObjectSizes, readSizes } from "./object-sizes.ts";
import { objectsIn } from "./raw-entries.ts";
import { type GitHandle, runGit } from "./run-git.ts";

/**
 * Reads objects and compares their content with their names, which git does not always do. Throws `git_failed` for an
 * object that is damaged or was replaced, since a diff against it could show or hide anything. Objects above
 * `MAX_COMPARED_BYTES` are not read. `known` has the sizes that need not be read again.
 */
export async function verifyObjects(
  git: GitHandle,
  objects: readonly string[],
  format: ObjectFormat,
  known: ObjectSizes = new Map(),
): Promise<void> {
  const names = new Set(objects);
  const unsized = [...names].filter((name) => !known.has(name));
  const sizes = [...[...known].filter(([name]) => names.has(name)), ...(await readSizes(git, unsized))];
  const read = sizes.filter(([, size]) => size <= MAX_COMPARED_BYTES);
  const bytes = read.reduce((sum, [, size]) => sum + size, 0);
  await verifyContents(
    withTimeFor(git, bytes),
    read.map(([name]) => name),
    format,
  );
}

/** Compares the contents of objects, of any size, with their names. */
async function verifyContents(git: GitHandle, names: readonly string[], format: ObjectFormat): Promise<void> {
  if (names.length === 0) return;
  const reader = new BatchReader(format);
  await runGit(git, ["cat-file", "--batch", "--buffer"], {
    input: names.map((name) => `${name}\n`).join(""),
    take: (chunk) => reader.write(chunk),
  });
}

/** Verifies a commit or tree and all trees in it, but not the contents of files. */
export async function verifyTree(git: GitHandle, treeish: string, format: ObjectFormat): Promise<void> {
  const listing = splitAtNul(await runGit(git, ["ls-tree", "-r", "-d", "-z", "--full-tree", treeish]));
  const entries = listing.map((line) => line.toString("latin1", 0, line.indexOf(0x09)).split(" "));
  const trees = entries.flatMap(([, type, object = ""]) => (type === "tree" ? [object] : []));
  await verifyContents(git, [treeish, `${treeish}^{tree}`, ...new Set(trees)], format);
}

/** Verifies the objects that git reads to compare two trees: both commits, the trees and files that differ. */
export async function verifyComparison(
  git: GitHandle,
  { from, to }: Pick<DiffPlan, "from" | "to">,
  { paths }: Pick<DiffView, "paths">,
  format: ObjectFormat,
): Promise<void> {
  const sides = [from, to].flatMap((side) => (side.kind === "tree" ? [side.object] : []));
  const args = ["diff-tree", "-r", "-t", "--no-renames", ...NAMES_FORM, ...sides, "--", ...paths];
  const roots = sides.flatMap((side) => [side, `${side}^{tree}`]);
  await verifyObjects(git, [...roots, ...objectsIn(await runGit(git, args))], format);
}

/** Parses `NAME TYPE SIZE LF content LF …`, the output of `git cat-file --batch`. */
class BatchReader {
  private readonly format: ObjectFormat;
  private line = Buffer.alloc(0);
  private current: { readonly name: string; readonly hash: Hash; left: number } | undefined;

  constructor(format: ObjectFormat) {
    this.format = format;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at = this.current ? this.content(chunk, at) : this.header(chunk, at);
  }

  private header(chunk: Buffer, start: number): number {
    const newline = chunk.indexOf(0x0a, start);
    const end = newline === -1 ? chunk.length : newline;
    this.line = Buffer.concat([this.line, chunk.subarray(start, end)]);
    if (newline === -1) return end;
    const [name = "", type = "", size = ""] = this.line.toString("latin1").split(" ");
    this.line = Buffer.alloc(0);
    // Skips the newline after an object, and the line of a missing object: the diff fails if it needs that
    // object.
    if (name === "" || size === "") return end + 1;
    this.current = { name, hash: createHash(this.format).update(`${type} ${size}\0`), left: Number(size) };
    if (this.current.left === 0) this.finish();
    return end + 1;
  }

  private content(chunk: Buffer, start: number): number {
    const { current } = this;
    if (!current) return start;
    const end = Math.min(chunk.length, start + current.left);
    current.hash.update(chunk.subarray(start, end));
    current.left -= end - start;
    if (current.left === 0) this.finish();
    return end;
  }

  private finish(): void {
    const { name, hash } = this.current ?? {};
    this.current = undefined;
    if (!name || hash?.digest("hex") === name) return;
    throw new AppError("git_failed", `Object ${name} of the repository does not match its name`, {
      hint: "The object is damaged or was replaced. Run git fsck, and clone the repository again.",
    });
  }
}
