import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { AppError, systemErrorCode } from "../../errors.ts";
import type { OmittedFiles } from "../api-types.ts";
import { openImage } from "../images/open-image.ts";
import { isWithin } from "../is-within.ts";
import { type FileContent, filePatch } from "./file-patch.ts";
import { hashBlob } from "./hash-blob.ts";
import type { PatchOrigin, TakenPatches } from "./patch-session.ts";

/** A file or folder to review, and the one that it is compared with. The paths are absolute and have no links. */
export interface ComparedPath {
  readonly path: string;
  /** Undefined if all of `path` is shown as new. */
  readonly against?: string | undefined;
}

interface FilesOriginOptions {
  readonly compared: readonly ComparedPath[];
  /** The project. Paths are shown relative to it if all files are inside it. */
  readonly project: string;
}

/** The paths of both sides of a file; a side is undefined if the file does not exist there. */
interface FilePair {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Folders of version control, which are left out. */
const VCS_FOLDERS = new Set([".git", ".hg", ".jj", ".sl", ".svn"]);
/** Folders of installed packages, which are left out. */
const PACKAGE_FOLDERS = new Set(["node_modules"]);
const MAX_FILES = 20_000;
/** Maximum bytes of a file. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_OMITTED_PATHS = 20;

/** Creates the origin of files and folders on disk, with and without a folder to compare with. */
export function createFilesOrigin({ compared, project }: FilesOriginOptions): PatchOrigin {
  const root = rootOf(compared, project);
  const hasAgainst = compared.some(({ against }) => against !== undefined);
  const label = compared.map(({ path }) => relative(root, path) || basename(root)).join(", ");
  let latest = new Map<string, FilePair>();
  return {
    source: "files",
    repository: { name: basename(root), root, branch: `files ${JSON.stringify(compared)}` },
    paths: [],
    async take() {
      const { pairs, omitted } = await listPairs(compared, root);
      latest = pairs;
      const patches = [];
      for (const [path, { before, after }] of pairs) {
        const patch = filePatch(path, await contentOf(before), await contentOf(after));
        if (patch) patches.push(patch);
      }
      const option = { id: "files", label: hasAgainst ? `${label} compared` : label };
      return {
        diffType: option.id,
        gitRef: hasAgainst ? `${compared[0]?.against} ${compared[0]?.path}` : label,
        gitContext: {
          currentBranch: label,
          defaultBranch: label,
          diffOptions: [option],
          moreDiffOptions: [],
        },
        commits: [],
        patches,
        omitted,
      } satisfies TakenPatches;
    },
    async probe() {
      const hash = createHash("sha256");
      for (const { before, after } of (await listPairs(compared, root)).pairs.values()) {
        for (const path of [before, after]) hash.update(`${path}\0${path && (await stamp(path))}\0`);
      }
      return hash.digest("hex");
    },
    completable: async (files) => new Set(files.map(({ path }) => path)),
    async text({ path, oldBlob }) {
      const content = await contentOf(latest.get(path)?.before).catch(() => undefined);
      // The file may have changed since the diff was created.
      return content && hashBlob(content.bytes) === oldBlob
        ? { side: "old", text: content.bytes }
        : undefined;
    },
    async image({ path }, side) {
      const pair = latest.get(path);
      const found = side === "old" ? pair?.before : pair?.after;
      return found === undefined ? undefined : openImage(found);
    },
  };
}

/** Returns the folder to which shown paths are relative: the project, or the common parent of all files. */
function rootOf(compared: readonly ComparedPath[], project: string): string {
  let root = project;
  while (!compared.every(({ path }) => isWithin(root, path)) && dirname(root) !== root) root = dirname(root);
  return root;
}

/** Lists the files of the review by their shown paths, sorted. */
async function listPairs(
  compared: readonly ComparedPath[],
  root: string,
): Promise<{ pairs: Map<string, FilePair>; omitted: OmittedFiles | undefined }> {
  const pairs = new Map<string, FilePair>();
  const skipped: string[] = [];
  const toShown = (path: string) => (relative(root, path) || basename(path)).split(sep).join("/");
  for (const { path, against } of compared) {
    const add = (inner: string, side: keyof FilePair, found: string) => {
      const shown = toShown(inner === "" ? path : join(path, inner));
      pairs.set(shown, { ...pairs.get(shown), [side]: found });
      if (pairs.size > MAX_FILES) throw tooMany();
    };
    for (const file of await filesIn(path, skipped)) add(relative(path, file), "after", file);
    if (against === undefined) continue;
    for (const file of await filesIn(against, [])) add(relative(against, file), "before", file);
  }
  const paths = skipped.map((path) => `${toShown(path)}/`);
  const omitted =
    paths.length === 0
      ? undefined
      : { ignored: { count: paths.length, paths: paths.slice(0, MAX_OMITTED_PATHS) } };
  return { pairs: new Map([...pairs].sort(([one], [other]) => (one < other ? -1 : 1))), omitted };
}

function tooMany(): AppError {
  return new AppError("usage", `Too many files: more than ${MAX_FILES}`, {
    hint: "Name fewer files or smaller folders.",
  });
}

/** Returns the files and links in a folder, or a single file. */
async function filesIn(path: string, skipped: string[]): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return [];
  if (!found.isDirectory()) return isReadable(found) ? [path] : [];
  const files: string[] = [];
  const pending = [path];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const inner = join(folder, entry.name);
      if (entry.isFile() || entry.isSymbolicLink()) files.push(inner);
      else if (entry.isDirectory() && PACKAGE_FOLDERS.has(entry.name)) skipped.push(inner);
      else if (entry.isDirectory() && !VCS_FOLDERS.has(entry.name)) pending.push(inner);
    }
    if (files.length > MAX_FILES) throw tooMany();
  }
  return files;
}

function isReadable(found: Stats): boolean {
  return found.isFile() || found.isSymbolicLink();
}

/** Reads a file. Returns the target of a symbolic link as its content. */
async function contentOf(path: string | undefined): Promise<FileContent | undefined> {
  if (path === undefined) return undefined;
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) return { mode: "120000", bytes: Buffer.from(await readlink(path)) };
    if (found.size > MAX_BYTES)
      return { mode: "100644", bytes: Buffer.from(`\0${found.size} ${found.mtimeMs}`) };
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const isProgram = process.platform !== "win32" && (found.mode & 0o111) !== 0;
      return { mode: isProgram ? "100755" : "100644", bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return undefined;
    throw new AppError("unreadable", `Cannot read ${path}: ${systemErrorCode(cause)}`, { cause });
  }
}

async function stamp(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found ? `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino} ${found.mode}` : "gone";
}
