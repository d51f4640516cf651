import { type GitHandle, runGit } from "./run-git.ts";

/** Git attributes of a path that affect a review. */
export interface Attributes {
  /** Value of `linguist-generated`; undefined if it is unspecified. */
  readonly generated: boolean | undefined;
  /** Whether the diff attribute is specified: it can declare a text file binary. */
  readonly hasDiffAttribute: boolean;
}

const NO_ATTRIBUTES: Attributes = { generated: undefined, hasDiffAttribute: false };

/** Returns the attributes of many paths, in their order, with one call of git. */
export async function readAttributes(git: GitHandle, paths: readonly string[]): Promise<Attributes[]> {
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
    return { generated: parseBoolean(fields[at + 2]), hasDiffAttribute: fields[at + 5] !== "unspecified" };
  });
}

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

function parseBoolean(value: string | undefined): boolean | undefined {
  if (value === undefined || value === "unspecified") return undefined;
  return value !== "unset" && value !== "false";
}

/** Names of generated files: lock files, minified code, source maps, snapshots, generated sources, conflicts of jj. */
const GENERATED = [
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock)$/,
  /(^|\/)(Cargo\.lock|Gemfile\.lock|composer\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock)$/,
  /(^|\/)(go\.sum|go\.work\.sum|mix\.lock|flake\.lock|Package\.resolved|Podfile\.lock|pubspec\.lock)$/,
  /(^|\/)(gradle\.lockfile|packages\.lock\.json|paket\.lock|MODULE\.bazel\.lock|\.terraform\.lock\.hcl)$/,
  /\.min\.(js|css|mjs)$/,
  /\.(js|css|mjs|cjs)\.map$/,
  /\.(pb|pb\.gw)\.go$|_pb2(_grpc)?\.pyi?$|\.pb\.(cc|h)$|_pb\.(js|ts|d\.ts)$/,
  /\.(g|freezed)\.dart$|\.designer\.cs$|\.g\.cs$/i,
  /(^|\/)__snapshots__\/.*\.snap$/,
  /(^|\/)(__generated__|generated)\//,
  /\.generated\.[a-z]+$/,
  // Files that jj adds at the root of a commit with a conflict: the inputs of the conflict, and an explanation.
  /^\.jjconflict-(?:base|side)-\d+\//,
  /^JJ-CONFLICT-README$/,
];

/** Reports whether a path has the name of a generated file. */
export function isGeneratedName(path: string): boolean {
  return GENERATED.some((pattern) => pattern.test(path));
}
