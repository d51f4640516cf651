import { copyFile, lstat, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { AS_ON_DISK } from "./conversions.ts";
import { fileSystemSettings } from "./file-system-settings.ts";
import type { Repository } from "./repository.ts";
import type { GitPlace } from "./run-git.ts";

/**
 * Makes the folder of a git directory. It is in the data directory, where a later review removes what a killed one left;
 * where nothing can be written there, in the system's folder for temporary files.
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
 * Makes a git directory of our own in a folder: of the repository it has the objects and the working tree, nothing of its
 * configuration, attributes in `.git`, index or references. What the repository could say to run a program or to hide a change
 * is not overruled but absent.
 */
export async function makeGitDirectory(
  repository: Repository,
  git: GitPlace,
  folder: string,
): Promise<GitPlace> {
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
