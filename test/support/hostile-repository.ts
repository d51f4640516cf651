import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestRepository, testRepository } from "./test-repository.ts";

export const DIFF_TYPES = ["uncommitted", "staged", "unstaged", "last-commit", "branch", "merge-base", "all"];

/** A repository whose settings name an attacker's programs, each of which creates a file when it runs. */
export interface HostileRepository extends TestRepository {
  /** Creates a program that records its name and then runs `then`; resolves to its path. */
  trap(name: string, then?: string): Promise<string>;
  /** Sets these in the repository's own configuration. */
  configure(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the programs that have run. */
  marks(): Promise<string[]>;
}

export async function hostileRepository(files: Record<string, string | Buffer>): Promise<HostileRepository> {
  const repository = await testRepository(files);
  const folder = join(repository.outside, "marks");
  await mkdir(folder);
  return {
    ...repository,
    async trap(name, then = "exit 0") {
      const path = join(repository.outside, `${name}.sh`);
      await writeFile(path, `#!/bin/sh\n: > '${join(folder, name)}'\n${then}\n`);
      await chmod(path, 0o755);
      return path;
    },
    async configure(settings) {
      for (const [key, value] of Object.entries(settings)) await repository.git("config", key, value);
    },
    marks: () => readdir(folder),
  };
}
