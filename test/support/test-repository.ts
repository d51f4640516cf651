import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../../src/config/paths.ts";
import type { DiffView } from "../../src/review/git/diff-arguments.ts";
import { planDiff } from "../../src/review/git/diff-types.ts";
import { readPatch } from "../../src/review/git/file-text.ts";
import { readHeads } from "../../src/review/git/refs.ts";
import { openRepository, type Repository } from "../../src/review/git/repository.ts";
import { type Snapshot, takeSnapshot } from "../../src/review/git/snapshot.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** The PATH on which git is found. `SALLYPORT_TEST_GIT` names another git to test with, as an absolute path. */
export const gitSearchPath = [dirname(process.env["SALLYPORT_TEST_GIT"] ?? ""), process.env["PATH"]]
  .filter((part) => part !== "." && part)
  .join(delimiter);

export interface TestRepository {
  readonly root: string;
  /** A folder beside it, with an empty home directory. */
  readonly outside: string;
  readonly environment: Environment;
  git(...args: string[]): Promise<string>;
  /** Writes files: path → content. */
  write(files: Record<string, string | Buffer>): Promise<void>;
  /** Adds everything and commits it. */
  commit(message?: string): Promise<void>;
  open(folder?: string): Promise<Repository>;
}

/**
 * A repository on branch `main`, created by real git, with a commit only if files are given. It is removed with the
 * test unless a folder is given.
 */
export async function testRepository(
  files?: Record<string, string | Buffer>,
  options: readonly string[] = [],
  wanted?: string,
): Promise<TestRepository> {
  const folder = wanted ?? (await temporaryFolder());
  const repository = repositoryIn(join(folder, "repo"), folder);
  await mkdir(repository.root);
  await repository.git("init", "--quiet", "--template=", "--initial-branch=main", ...options);
  if (files) {
    await repository.write(files);
    await repository.commit("first");
  }
  return repository;
}

/** A folder that is, or will be, a repository; `outside` serves as the home. */
export function repositoryIn(root: string, outside: string): TestRepository {
  const environment = { PATH: gitSearchPath, HOME: outside };
  const author = { name: "Ada Writer", email: "ada@example.test" };
  const git = async (...args: string[]) => {
    const { stdout } = await run("git", args, {
      cwd: root,
      maxBuffer: 1 << 28,
      env: {
        ...environment,
        LC_ALL: "C.UTF-8",
        GIT_CONFIG_NOSYSTEM: "1",
        // Otherwise each commit starts two more processes for garbage collection.
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "maintenance.auto",
        GIT_CONFIG_VALUE_0: "false",
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
      },
    });
    return stdout;
  };
  return {
    root,
    outside,
    environment,
    git,
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    },
    async commit(message = "more") {
      await git("add", "--all");
      await git("commit", "--quiet", "--allow-empty", "-m", message);
    },
    open: (opened = root) => openRepository(opened, environment),
  };
}

/** Adds `inner` as the submodule `module`; git requires a setting to accept a local folder. */
export async function addSubmodule(repository: TestRepository, inner: TestRepository): Promise<void> {
  const allowed = ["-c", "protocol.file.allow=always"];
  await repository.git(...allowed, "submodule", "add", "--quiet", inner.root, "module");
}

export interface TestSnapshot {
  readonly snapshot: Snapshot;
  /** The patches of all files, joined. */
  readonly patch: string;
  readonly paths: readonly string[];
  patchOf(path: string): Promise<string>;
}

/** Takes a diff as the server does, and closes it. */
export async function snapshotOf(
  tested: TestRepository,
  diffType = "uncommitted",
  view: Partial<DiffView> = {},
): Promise<TestSnapshot> {
  const { snapshot } = await openSnapshot(tested, diffType, view);
  const patches = new Map<string, string>();
  for (const file of snapshot.files) {
    patches.set(file.path, (patches.get(file.path) ?? "") + (await readPatch(snapshot, file)).toString());
  }
  await snapshot.spool.close();
  return {
    snapshot,
    patch: [...patches.values()].join(""),
    paths: snapshot.files.map(({ path }) => path),
    patchOf: async (path) => patches.get(path) ?? "",
  };
}

/** The same, but the caller closes its spool. */
export async function openSnapshot(
  tested: TestRepository,
  diffType = "uncommitted",
  view: Partial<DiffView> = {},
) {
  const repository = await tested.open();
  const git = await repository.git();
  const heads = await readHeads(git);
  const plan = await planDiff(diffType, { git, heads, objectFormat: repository.objectFormat });
  const snapshot = await takeSnapshot({
    repository,
    git,
    plan,
    view: { ignoreSpace: false, paths: [], ...view },
  });
  return { git, plan, snapshot };
}
