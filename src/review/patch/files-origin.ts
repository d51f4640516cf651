import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { AppError } from "../../errors.ts";
import type { OmittedFiles } from "../api-types.ts";
import { quoteName } from "../git/quoted-name.ts";
import { openImage } from "../images/open-image.ts";
import { isWithin } from "../is-within.ts";
import { type FilePath, readContent } from "./file-content.ts";
import { filePatch } from "./file-patch.ts";
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
  readonly before?: FilePath | undefined;
  readonly after?: FilePath | undefined;
}

/** Folders of version control and installed packages, which are left out. */
const SKIPPED_FOLDERS = new Set([".git", ".hg", ".jj", ".sl", ".svn", "node_modules"]);
const MAX_FILES = 20_000;
const MAX_OMITTED_PATHS = 20;

/** Creates the origin of files and folders on disk, each with or without another one to compare it with. */
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
      const { pairs, skipped, unreadable } = await listPairs(compared, root);
      latest = pairs;
      const patches = [];
      for (const [path, { before, after }] of pairs) {
        try {
          const patch = filePatch(path, await readContent(before), await readContent(after));
          if (patch) patches.push(patch);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          unreadable.push(path);
        }
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
        omitted: omittedFiles(skipped, unreadable),
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
      const content = await readContent(latest.get(path)?.before).catch(() => undefined);
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

/** Returns the folder to which shown paths are relative: the project, or its nearest parent that contains all files. */
function rootOf(compared: readonly ComparedPath[], project: string): string {
  let root = project;
  while (!compared.every(({ path }) => isWithin(root, path)) && dirname(root) !== root) root = dirname(root);
  return root;
}

/** The files of a review by their shown paths, sorted, and the shown paths of what is left out. */
interface ListedFiles {
  readonly pairs: Map<string, FilePair>;
  readonly skipped: readonly string[];
  readonly unreadable: string[];
}

async function listPairs(compared: readonly ComparedPath[], root: string): Promise<ListedFiles> {
  const pairs = new Map<string, FilePair>();
  const left: LeftOut = { skipped: [], unreadable: [] };
  const toShown = (path: string) => (relative(root, path) || basename(path)).split(sep).join("/");
  for (const { path, against } of compared) {
    const add = (side: keyof FilePair, { inner, location }: FoundFile) => {
      let shown = toShown(join(path, inner));
      // An escaped name can be the name of another file.
      for (let other = pairs.get(shown)?.[side]; other && `${other}` !== `${location}`; ) {
        shown += " (2)";
        other = pairs.get(shown)?.[side];
      }
      pairs.set(shown, { ...pairs.get(shown), [side]: location });
      if (pairs.size > MAX_FILES) throw tooMany();
    };
    for (const file of await filesIn(path, left, against)) add("after", file);
    if (against === undefined) continue;
    for (const file of await filesIn(against, { ...left, skipped: [] })) add("before", file);
  }
  const toFolder = (path: string) => `${toShown(path)}/`;
  return {
    pairs: new Map([...pairs].sort(([one], [other]) => (one < other ? -1 : 1))),
    skipped: left.skipped.map(toFolder),
    unreadable: left.unreadable.map(toFolder),
  };
}

function omittedFiles(skipped: readonly string[], unreadable: readonly string[]): OmittedFiles | undefined {
  const toPaths = (paths: readonly string[]) => ({
    count: paths.length,
    paths: paths.slice(0, MAX_OMITTED_PATHS),
  });
  if (skipped.length === 0 && unreadable.length === 0) return undefined;
  return {
    ...(skipped.length > 0 ? { ignored: toPaths(skipped) } : {}),
    ...(unreadable.length > 0 ? { unknown: toPaths(unreadable) } : {}),
  };
}

function tooMany(): AppError {
  return new AppError("usage", `Too many files: more than ${MAX_FILES}`, {
    hint: "Name fewer files or smaller folders.",
  });
}

/** Absolute paths of folders that are left out. */
interface LeftOut {
  readonly skipped: string[];
  readonly unreadable: string[];
}

/** A file or folder, and its path relative to the one that was named. */
interface FoundFile {
  readonly location: FilePath;
  readonly inner: string;
}

/**
 * Returns the files and links in a folder, without those in its subfolder `except`; for a file, the file itself. Adds
 * the folders that are left out to `left`. In the relative path, a name that is not UTF-8 has escapes as in a name that
 * git has quoted.
 */
async function filesIn(path: string, left: LeftOut, except?: string): Promise<FoundFile[]> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return [];
  if (!found.isDirectory()) return isReadable(found) ? [{ location: path, inner: "" }] : [];
  const files: FoundFile[] = [];
  const pending: FoundFile[] = [{ location: path, inner: "" }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await readdir(folder.location, { withFileTypes: true, encoding: "buffer" }).catch(() => {
      left.unreadable.push(join(path, folder.inner));
      return [];
    });
    for (const entry of entries) {
      const child = childOf(folder, entry.name);
      if (entry.isFile() || entry.isSymbolicLink()) files.push(child);
      else if (!entry.isDirectory()) continue;
      else if (SKIPPED_FOLDERS.has(entry.name.toString()) || child.location === except)
        left.skipped.push(join(path, child.inner));
      else pending.push(child);
    }
    if (files.length > MAX_FILES) throw tooMany();
  }
  return files;
}

function childOf(folder: FoundFile, name: Buffer): FoundFile {
  const text = name.toString();
  const isText = Buffer.from(text).equals(name);
  const inner = join(folder.inner, isText ? text : quoteName(name).slice(1, -1));
  if (isText && typeof folder.location === "string") return { location: join(folder.location, text), inner };
  return { location: Buffer.concat([Buffer.from(folder.location), Buffer.from(sep), name]), inner };
}

function isReadable(found: Stats): boolean {
  return found.isFile() || found.isSymbolicLink();
}

async function stamp(path: FilePath): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found ? `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino} ${found.mode}` : "gone";
}
