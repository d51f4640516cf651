import { type GitPlace, runGit } from "./run-git.ts";

/** What .gitattributes says of a path, as far as a review cares. */
export interface Attributes {
  /** linguist-generated is set; undefined where it is not mentioned. */
  readonly generated: boolean | undefined;
  /** The diff attribute is mentioned at all: the path may be called binary by decree. */
  readonly diffDecreed: boolean;
}

const NO_ATTRIBUTES: Attributes = { generated: undefined, diffDecreed: false };

/** Asks git for the attributes of many paths at once; in their order. */
export async function attributesOf(git: GitPlace, paths: readonly string[]): Promise<Attributes[]> {
  // A tree may hold a name like `..`, for which git would refuse to answer about all the others.
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
