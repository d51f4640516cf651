import { type GitHandle, runGit } from "./run-git.ts";

/** Sizes of objects in bytes, by full name; a missing object has none. */
export type ObjectSizes = ReadonlyMap<string, number>;

/** Returns the full names and the sizes of objects, which may be given as expressions such as `HEAD^{tree}`. */
export async function readSizes(git: GitHandle, objects: readonly string[]): Promise<ObjectSizes> {
  const sizes = new Map<string, number>();
  if (objects.length === 0) return sizes;
  const output = await runGit(git, ["cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"], {
    input: objects.map((object) => `${object}\n`).join(""),
  });
  for (const line of output.toString("latin1").split("\n")) {
    const [name = "", size = ""] = line.split(" ");
    if (/^\d+$/.test(size)) sizes.set(name, Number(size));
  }
  return sizes;
}
