import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { DiffOption, ReviewedCommit } from "../api-types.ts";
import { readImageBlob } from "../git/file-image.ts";
import type { Repository } from "../git/repository.ts";
import { tryGit } from "../git/run-git.ts";
import { isNullObject } from "../git/section-header.ts";
import { hashBlob } from "./hash-blob.ts";
import type { KnownText, PatchOrigin, TakenPatches } from "./patch-session.ts";
import { type PatchPart, readPatchSeries } from "./read-patch-series.ts";

/** Maximum bytes of a patch. */
const MAX_PATCH_BYTES = 256 * 1024 * 1024;

/** The input that contains a patch. */
export interface PatchInput {
  /** For error messages and as the label: the file's path, or `The patch on stdin`. */
  readonly name: string;
  /** Returns the patch. Called each time that the diff is created. */
  read(): Promise<Buffer>;
  /** Returns a value that changes with the file. */
  probe(): Promise<string>;
}

/** Returns an input that reads a patch from a file. `read` throws `input` if the file is unreadable or too large. */
export function patchFile(path: string): PatchInput {
  const failure = (cause: unknown) =>
    new AppError("input", `Cannot read ${path}: ${getReadReason(cause)}`, {
      cause,
      hint: "Name a file with a unified diff, or - for stdin.",
    });
  return {
    name: path,
    async read() {
      try {
        if ((await stat(path)).size > MAX_PATCH_BYTES) throw tooLarge(path);
        return await readFile(path);
      } catch (cause) {
        throw cause instanceof AppError ? cause : failure(cause);
      }
    },
    async probe() {
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      return found ? `${found.mtimeNs} ${found.size} ${found.ino}` : "gone";
    },
  };
}

/** Reads a patch from a stream such as stdin, once. Throws `input` if it is too large. */
export async function patchFromStream(stream: AsyncIterable<Buffer>): Promise<PatchInput> {
  const name = "The patch on stdin";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_PATCH_BYTES) throw tooLarge(name);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { name, read: async () => bytes, probe: async () => "" };
}

function tooLarge(name: string): AppError {
  return new AppError("input", `${name} is larger than 256 MiB`);
}

/** Reads the parts of a patch. Throws `input` if it contains no diff. */
export async function readParts(input: PatchInput): Promise<readonly PatchPart[]> {
  const parts = readPatchSeries(await input.read(), input.name);
  if (parts.length > 0) return parts;
  throw new AppError("input", `${input.name} contains no diff`, {
    hint: "Pass a unified diff, for example the output of git diff or git format-patch --stdout.",
  });
}

interface PatchOriginOptions {
  readonly input: PatchInput;
  readonly paths: readonly string[];
  /** The folder that contains the files of the patch, for the page. */
  readonly root: string;
  /** The repository with the complete files, if the patch was made from it. */
  readonly repository?: Repository | undefined;
}

/** The diff type of the whole patch. */
const ALL = "patch";

/** Creates the origin of a patch file or of a patch on stdin. */
export function createPatchOrigin({ input, paths, root, repository }: PatchOriginOptions): PatchOrigin {
  const label = basename(input.name);
  return {
    source: "patch",
    repository: { name: basename(root), root, branch: `patch ${input.name}` },
    paths,
    async take(diffType, _signal) {
      return choosePart(await readParts(input), diffType, label);
    },
    probe: () => input.probe(),
    completable: (files) => (repository ? knownBlobs(repository, files) : Promise.resolve(new Set())),
    async text(file, limit) {
      if (!repository || file.oldBlob === undefined) return undefined;
      return readOldBlob(repository, file.oldBlob, limit);
    },
    async image(file, side) {
      const blob = side === "old" ? file.oldBlob : file.newBlob;
      return repository && blob !== undefined ? readImageBlob(await repository.git(), blob) : undefined;
    },
  };
}

/** Returns the patches of a diff type: all of them, or those of one commit. Throws `validation` for an unknown type. */
function choosePart(parts: readonly PatchPart[], wanted: string | undefined, label: string): TakenPatches {
  const commits = parts.map((part, index) => part.commit ?? unnamedCommit(part, index, parts.length));
  const paths = parts.flatMap(({ files }) => [...new Set(files.map(({ path }) => path))]);
  // Patches of the same file build on each other: shown one after the other, their line numbers would not match.
  const isOneDiff = new Set(paths).size === paths.length;
  const diffType = wanted ?? (isOneDiff ? ALL : `commit:${commits[0]?.sha}`);
  const position = commits.findIndex(({ sha }) => diffType === `commit:${sha}`);
  const part = parts[position];
  if (!part && !(diffType === ALL && isOneDiff)) {
    throw new AppError("validation", `Unknown diffType ${JSON.stringify(diffType.slice(0, 200))}`);
  }
  const hasCommits = parts.length > 1 || parts[0]?.commit !== undefined;
  const commitOptions = commits.map(({ sha, title }): DiffOption => ({ id: `commit:${sha}`, label: title }));
  return {
    diffType,
    gitRef: part ? (commits[position]?.title ?? label) : label,
    gitContext: {
      currentBranch: label,
      defaultBranch: label,
      diffOptions: isOneDiff ? [{ id: ALL, label }] : commitOptions,
      moreDiffOptions: isOneDiff && hasCommits ? commitOptions : [],
    },
    commits: hasCommits ? commits : [],
    patches: part ? part.files : parts.flatMap(({ files }) => files),
  };
}

/** Describes a part without a mail header. Its id is the hash of its content. */
function unnamedCommit({ files }: PatchPart, index: number, count: number): ReviewedCommit {
  const hash = createHash("sha1");
  for (const { bytes } of files) hash.update(bytes);
  const title = `Part ${index + 1} of ${count}`;
  return { sha: hash.digest("hex"), title, body: "", author: "", at: new Date(0).toISOString() };
}

/** Returns the paths of the files whose old content is in the repository. */
async function knownBlobs(
  repository: Repository,
  files: readonly { readonly path: string; readonly oldBlob?: string }[],
): Promise<ReadonlySet<string>> {
  const named = files.filter(({ oldBlob }) => oldBlob !== undefined && !isNullObject(oldBlob));
  if (named.length === 0) return new Set();
  const input = named.map(({ oldBlob }) => `${oldBlob}\n`).join("");
  const { stdout } = await tryGit(await repository.git(), ["cat-file", "--batch-check"], { input });
  const lines = stdout.toString().split("\n");
  return new Set(
    named.filter((_file, index) => / blob \d+$/.test(lines[index] ?? "")).map(({ path }) => path),
  );
}

/**
 * Returns an object of the repository by its full or abbreviated name; undefined if git does not have it or its content
 * does not match the name.
 */
async function readOldBlob(
  repository: Repository,
  name: string,
  limit?: number,
): Promise<KnownText | undefined> {
  const git = await repository.git();
  const { exitCode, stdout } = await tryGit(limit === undefined ? git : { ...git, limit }, [
    "cat-file",
    "blob",
    name,
  ]);
  if (exitCode !== 0 || !hashBlob(stdout, repository.objectFormat).startsWith(name)) return undefined;
  return { side: "old", text: stdout };
}
