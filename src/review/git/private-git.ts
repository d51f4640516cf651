import { copyFile, lstat, mkdir, mkdtemp, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { AS_ON_DISK } from "./conversions.ts";
import type { Repository } from "./repository.ts";
import type { GitHandle } from "./run-git.ts";

/**
 * Creates the folder of a git directory in the data directory, where a later review removes the folders of
 * killed reviews. Uses the system's temporary folder if the data directory is not writable.
 */
export async function makeFolder({ indexesDirectory }: Repository): Promise<string> {
  try {
    await makePrivateFolder(indexesDirectory);
    return await mkdtemp(join(indexesDirectory, "git-"));
  } catch {
    return mkdtemp(join(tmpdir(), "sallyport-git-"));
  }
}

/**
 * Creates a private git directory in a folder. It shares the objects and the working tree of the repository, and has
 * copies only of its `info/exclude` and of the settings of its file system: configuration that could run a program or
 * hide a change is absent, not just overridden.
 */
export async function makeGitDirectory(
  repository: Repository,
  git: GitHandle,
  folder: string,
): Promise<GitHandle> {
  const { commonDirectory } = repository;
  const objects = join(commonDirectory, "objects");
  const exclude = join(commonDirectory, "info", "exclude");
  const noted = await fileSystemSettings(git);
  await Promise.all([mkdir(join(folder, "refs")), mkdir(join(folder, "info"))]);
  await Promise.all([
    writeFile(join(folder, "HEAD"), "ref: refs/heads/none\n"),
    writeFile(join(folder, "config"), configuration(repository, noted)),
    writeFile(join(folder, "info", "attributes"), AS_ON_DISK),
    // Reading a pipe with this name would block.
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
  // This index is also parsed by index-entries.ts, which supports only the plain format.
  const index = "\tsplitIndex = false\n[index]\n\tversion = 2\n\tsparse = false\n";
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n${core.join("")}${index}${format}`;
}

/**
 * Settings in which a repository records the capabilities of its file system. These settings are ignored on
 * Linux file systems with links and modes.
 */
const NOTED = {
  "core.filemode": "fileMode",
  "core.symlinks": "symlinks",
  "core.ignorecase": "ignoreCase",
  "core.precomposeunicode": "precomposeUnicode",
} as const;

/** Linux file systems (statfs(2), `f_type`) without modes or links: 9p, drvfs, FAT, exFAT, NTFS, CIFS, SMB, FUSE. */
const FOREIGN = new Set([
  0x01021997, 0x53464846, 0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0xff534d42, 0xfe534d42, 0x65735546,
]);

/** Returns the `core` settings to keep for this file system, with the repository's values. */
async function fileSystemSettings(git: GitHandle): Promise<Record<string, string>> {
  if (process.platform === "linux" && !(await isForeign(git.directory))) return {};
  const kept: Record<string, string> = {};
  for (const [key, name] of Object.entries(NOTED)) {
    const value = git.settings?.repository.get(key);
    if (value === "true" || value === "false") kept[name] = value;
  }
  return kept;
}

async function isForeign(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  return found !== undefined && FOREIGN.has(found.type >>> 0);
}
