import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { createQueue, type InTurn } from "../storage/in-turn.ts";
import { AS_ON_DISK, type ComparedFile, findConversions } from "./conversions.ts";
import { type DiffView, NAMES_FORM } from "./diff-arguments.ts";
import { type DiffPlan, showsUntracked } from "./diff-types.ts";
import { fileSystemSettings } from "./file-system-settings.ts";
import { fillIndex, withTimeFor } from "./fill-index.ts";
import { joinWithNul, splitAtNul } from "./nul-list.ts";
import type { Repository } from "./repository.ts";
import { type GitPlace, runGit, tryGit } from "./run-git.ts";
import { hasCommit, listUntracked, separateLarge, type Untracked } from "./untracked.ts";
import { verifyObjects } from "./verify-objects.ts";

/** A working tree, ready to be compared with a tree of the repository. */
export interface WorkTree {
  /** Git with an index of our own: `git diff TREE` compares every byte, new files included. */
  readonly git: GitPlace;
  /** Paths of new files that the repository's index does not have. */
  readonly untracked: ReadonlySet<string>;
  /** New files that have to be shown by other means: large ones, and those that were taken out of the index. */
  readonly apart: Untracked;
}

const EMPTY_BLOB = {
  sha1: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  sha256: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
} as const;

/** Two looks at one working tree at the same time would read every file twice. */
const queues = new Map<string, InTurn>();

/**
 * Calls `use` with git in a git directory of our own, outside of the repository: of the repository it has the objects and
 * the working tree, nothing of its configuration, attributes in `.git`, index or references. What the repository could say to
 * run a program or to hide a change is not overruled but absent.
 */
async function withWorkTree<Result>(
  repository: Repository,
  git: GitPlace,
  from: string,
  view: DiffView,
  use: (tree: WorkTree) => Promise<Result>,
): Promise<Result> {
  const folder = await makeFolder(repository);
  try {
    const room = await makeGitDirectory(repository, git, folder);
    const queue = queues.get(repository.root) ?? createQueue();
    queues.set(repository.root, queue);
    const [links, staged] = await Promise.all([
      queue(() => fillIndex(repository, room, from)),
      stagedPaths(git, from),
    ]);
    await leaveOut(room, [...staged.removed, ...(await hollow(room, links))]);
    await skipWhatIsNotCheckedOut(git, room);
    const { changed, fresh, apart, untracked } = await look(room, staged, view);
    await verifyObjects(
      room,
      changed.flatMap(({ object }) => object ?? []),
      repository.objectFormat,
    );
    const filteredBytes = await convertWhatHidesNothing(room, [
      ...changed,
      ...fresh.map((path) => ({ path })),
    ]);
    await addFresh(repository, room, fresh);
    return await use({ git: withTimeFor(room, filteredBytes), apart, untracked });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Calls `use` with the working tree where a plan compares it with a tree, and without one for every other plan. */
export function withTreeOf<Result>(
  repository: Repository,
  git: GitPlace,
  plan: DiffPlan,
  view: DiffView,
  use: (tree: WorkTree | undefined) => Promise<Result>,
): Promise<Result> {
  const { from } = plan;
  if (!showsUntracked(plan) || from.kind !== "tree") return use(undefined);
  return withWorkTree(repository, git, from.object, view, use);
}

/**
 * Makes the folder of a git directory. It is in the data directory, where a later review removes what a killed one left;
 * where nothing can be written there, in the system's folder for temporary files.
 */
async function makeFolder({ indexesDirectory }: Repository): Promise<string> {
  try {
    await makePrivateFolder(indexesDirectory);
    return await mkdtemp(join(indexesDirectory, "git-"));
  } catch {
    return mkdtemp(join(tmpdir(), "sallyport-git-"));
  }
}

async function makeGitDirectory(repository: Repository, git: GitPlace, folder: string): Promise<GitPlace> {
  const { commonDirectory } = repository;
  const objects = join(commonDirectory, "objects");
  const exclude = join(commonDirectory, "info", "exclude");
  const noted = await fileSystemSettings(git);
  await Promise.all([mkdir(join(folder, "refs")), mkdir(join(folder, "info"))]);
  await Promise.all([
    writeFile(join(folder, "HEAD"), "ref: refs/heads/none\n"),
    writeFile(join(folder, "config"), configuration(repository, noted)),
    writeFile(join(folder, "info", "attributes"), AS_ON_DISK),
    // A pipe in its place would be waited for.
    lstat(exclude).then(
      (found) => (found.isFile() ? copyFile(exclude, join(folder, "info", "exclude")) : undefined),
      () => {},
    ),
  ]);
  const own = { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: objects, GIT_INDEX_FILE: join(folder, "index") };
  return { ...git, environment: { ...git.environment, ...own } };
}

function configuration({ objectFormat }: Repository, noted: Readonly<Record<string, string>>): string {
  const core = Object.entries(noted).map(([name, value]) => `\t${name} = ${value}\n`);
  const format = objectFormat === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  // The index is read here as well, in its plain form.
  const index = "\tsplitIndex = false\n[index]\n\tversion = 2\n\tsparse = false\n";
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n${core.join("")}${index}${format}`;
}

interface Staged {
  readonly added: readonly Buffer[];
  readonly removed: readonly Buffer[];
}

/** What the repository's index has and the tree has not, and the other way round. */
async function stagedPaths(git: GitPlace, from: string): Promise<Staged> {
  const output = await runGit(git, ["diff", "--cached", "--no-renames", ...NAMES_FORM, from, "--"]);
  const entries = rawEntries(output);
  const withStatus = (status: string) =>
    entries.filter((entry) => entry.status === status).map(({ path }) => path);
  return { added: withStatus("A"), removed: withStatus("D") };
}

interface RawEntry {
  readonly path: Buffer;
  readonly status: string;
  readonly object: string;
}

/** Reads `--raw -z` without renames: `:mode mode object object status` NUL path NUL … */
function rawEntries(output: Buffer): RawEntry[] {
  const fields = splitAtNul(output);
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , object = "", , status = ""] = fields[at]?.toString("latin1").split(" ") ?? [];
    const path = fields[at + 1];
    if (path) entries.push({ path, status: status.charAt(0), object });
  }
  return entries;
}

async function leaveOut(room: GitPlace, paths: readonly Buffer[]): Promise<void> {
  if (paths.length === 0) return;
  await runGit(room, ["update-index", "--force-remove", "-z", "--stdin"], { input: joinWithNul(paths) });
}

/** Submodules in whose place there is a folder of files: git takes it for unchanged, and looks at none of them. */
async function hollow(room: GitPlace, links: readonly Buffer[]): Promise<Buffer[]> {
  const isHollow = await Promise.all(
    links.map(async (path) => {
      const names = await readdir(Buffer.concat([Buffer.from(`${room.directory}/`), path])).catch(() => []);
      return names.length > 0 && !(await hasCommit(room, path));
    }),
  );
  return links.filter((_path, index) => isHollow[index]);
}

/** In a sparse checkout, files that are not there are not deleted. */
async function skipWhatIsNotCheckedOut(git: GitPlace, room: GitPlace): Promise<void> {
  const wanted = git.settings?.repository.get("core.sparsecheckout")?.toLowerCase() ?? "false";
  if (["false", "no", "off", "0"].includes(wanted)) return;
  const listed = splitAtNul(await runGit(git, ["ls-files", "-v", "-z"]));
  const skipped = listed
    .filter((entry) => entry[0] === 0x53 || entry[0] === 0x73)
    .map((entry) => entry.subarray(2));
  const absent: Buffer[] = [];
  for (const path of skipped) {
    const found = await lstat(Buffer.concat([Buffer.from(`${room.directory}/`), path])).catch(
      () => undefined,
    );
    if (!found) absent.push(path);
  }
  if (absent.length === 0) return;
  await tryGit(room, ["update-index", "--skip-worktree", "-z", "--stdin"], { input: joinWithNul(absent) });
}

interface Look {
  readonly changed: readonly ComparedFile[];
  readonly fresh: readonly Buffer[];
  readonly apart: Untracked;
  readonly untracked: ReadonlySet<string>;
}

async function look(room: GitPlace, staged: Staged, view: DiffView): Promise<Look> {
  const [raw, others] = await Promise.all([
    runGit(room, ["diff-files", "--no-renames", ...NAMES_FORM]),
    listUntracked(room, view),
  ]);
  const key = (path: Buffer) => path.toString("latin1");
  const removed = new Set(staged.removed.map(key));
  const listed = new Set(others.map(key));
  const stagedKeys = new Set(staged.added.map(key));
  // Staged although it is ignored.
  const forced = staged.added.filter((path) => !listed.has(key(path)));
  const { paths, large } = await separateLarge(
    room,
    others.filter((path) => !removed.has(key(path))),
  );
  return {
    changed: rawEntries(raw).filter(({ status }) => status === "M" || status === "T" || status === "D"),
    fresh: [...paths, ...(await present(room, forced))],
    apart: { paths: others.filter((path) => removed.has(key(path))), large },
    untracked: new Set(others.filter((path) => !stagedKeys.has(key(path))).map((path) => path.toString())),
  };
}

async function present(room: GitPlace, paths: readonly Buffer[]): Promise<Buffer[]> {
  const found = await Promise.all(
    paths.map((path) =>
      lstat(Buffer.concat([Buffer.from(`${room.directory}/`), path])).catch(() => undefined),
    ),
  );
  return paths.filter((_path, index) => found[index]?.isFile() || found[index]?.isSymbolicLink());
}

/** Returns how many bytes the user's filters will read. */
async function convertWhatHidesNothing(room: GitPlace, files: readonly ComparedFile[]): Promise<number> {
  const attributes = join(room.environment["GIT_DIR"] ?? "", "info", "attributes");
  await rm(attributes);
  const { lines, pristine, filteredBytes } = await findConversions(room, files);
  await writeFile(attributes, AS_ON_DISK + lines);
  if (pristine.length > 0) {
    await runGit(room, ["update-index", "--assume-unchanged", "-z", "--stdin"], {
      input: joinWithNul(pristine),
    });
  }
  return filteredBytes;
}

/** An empty object stands for each new file: compared with a tree, it is read from the disk all the same. */
async function addFresh(repository: Repository, room: GitPlace, fresh: readonly Buffer[]): Promise<void> {
  if (fresh.length === 0) return;
  const start = Buffer.from(`100644 ${EMPTY_BLOB[repository.objectFormat]} 0\t`);
  const input = joinWithNul(fresh.map((path) => Buffer.concat([start, path])));
  await runGit(room, ["update-index", "--add", "--replace", "-z", "--index-info"], { input });
}
