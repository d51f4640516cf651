import { type GitPlace, runGit } from "./run-git.ts";

/** What .gitattributes says of a path, as far as a review cares. */
export interface Attributes {
  /** linguist-generated is set; undefined where it is not mentioned. */
  readonly generated: boolean | undefined;
  /** The diff attribute is mentioned at all: the path may be called binary by decree. */
  readonly diffDecreed: boolean;
}

/** Asks git for the attributes of many paths at once; in their order. */
export async function attributesOf(git: GitPlace, paths: readonly string[]): Promise<Attributes[]> {
  if (paths.length === 0) return [];
  const names = ["linguist-generated", "diff"];
  const output = await runGit(git, ["check-attr", "-z", "--stdin", ...names], {
    input: paths.map((path) => `${path}\0`).join(""),
  });
  // path NUL attribute NUL value NUL, one triple for each path and name
  const fields = output.toString().split("\0");
  return paths.map((_path, index) => {
    const at = index * names.length * 3;
    return { generated: truth(fields[at + 2]), diffDecreed: fields[at + 5] !== "unspecified" };
  });
}

function truth(value: string | undefined): boolean | undefined {
  if (value === undefined || value === "unspecified") return undefined;
  return value !== "unset" && value !== "false";
}
