import { type GitPlace, runGit } from "./run-git.ts";

/** Attributes of a path in .gitattributes that affect a review. */
export interface Attributes {
  /** Value of `linguist-generated`; undefined if it is unspecified. */
  readonly generated: boolean | undefined;
  /** Whether the diff attribute is specified: it can declare a text file binary. */
  readonly diffDecreed: boolean;
}

const NO_ATTRIBUTES: Attributes = { generated: undefined, diffDecreed: false };

/** Returns the attributes of many paths, in their order, with one call of git. */
export async function attributesOf(git: GitPlace, paths: readonly string[]): Promise<Attributes[]> {
  // A tree can contain a name like `..`, for which git would reject the whole call.
  const asked = paths.filter(isInside);
  if (asked.length === 0) return paths.map(() => NO_ATTRIBUTES);
  const names = ["linguist-generated", "diff"];
  const output = await runGit(git, ["check-attr", "-z", "--stdin", ...names], {
    input: asked.map((path) => `${path}\0`).join(""),
  });
  // path NUL attribute NUL value NUL, one triple for each path and name
  const fields = output.toString().split("\0");
  const position = new Map(asked.map((path, index) => [path, index]));
  return paths.map((path) => {
    const index = position.get(path);
    if (index === undefined) return NO_ATTRIBUTES;
    const at = index * names.length * 3;
    return { generated: truth(fields[at + 2]), diffDecreed: fields[at + 5] !== "unspecified" };
  });
}

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

function truth(value: string | undefined): boolean | undefined {
  if (value === undefined || value === "unspecified") return undefined;
  return value !== "unset" && value !== "false";
}
