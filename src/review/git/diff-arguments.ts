import { devNull } from "node:os";
import type { DiffPlan } from "./diff-types.ts";

export interface DiffView {
  /** Lines that differ in white space alone count as equal. */
  readonly ignoreSpace: boolean;
  /** Show as text what attributes call binary. */
  readonly asText?: boolean;
  /** Paths from the repository's top that the diff is limited to; none means all. */
  readonly paths: readonly string[];
}

/** Which files count as one file renamed. */
const RENAMES = ["--find-renames=50%", "-l1000"] as const;

/** Git would read, and fail without, whatever file the configuration names. */
const NO_ORDER_FILE = `-O${devNull}`;

/** Everything that configuration could change about a patch, said on the command line, which wins. */
const FIXED_FORM = [
  "--patch",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "--full-index",
  "--unified=3",
  "--inter-hunk-context=0",
  "--diff-algorithm=myers",
  "--indent-heuristic",
  ...RENAMES,
  NO_ORDER_FILE,
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
  // A submodule's commits are compared; nothing is run in it, and .gitmodules cannot hide it.
  "--ignore-submodules=dirty",
] as const;

/** Which paths differ, whatever the configuration says. */
export const NAMES_FORM = [
  "--raw",
  "-z",
  "--no-ext-diff",
  "--no-relative",
  NO_ORDER_FILE,
  "--ignore-submodules=dirty",
] as const;

/** The arguments of `git diff` for a plan. Objects are full names, paths stand behind `--`. */
export function diffArguments(plan: DiffPlan, view: DiffView): string[] {
  return ["diff", ...FIXED_FORM, ...viewArguments(view), ...sides(plan), "--", ...view.paths];
}

/** The arguments that show every file of an index of intentions as added. */
export function additionArguments(view: DiffView): string[] {
  return ["diff", ...FIXED_FORM, "--ita-invisible-in-index", ...viewArguments(view), "--"];
}

/** Which paths differ, without their content: `:modes objects status` NUL path NUL … */
export function rawArguments(plan: DiffPlan, view: DiffView): string[] {
  return ["diff", "--no-renames", ...NAMES_FORM, ...sides(plan), "--", ...view.paths];
}

/** The same with renamed files as in the patch: one entry with both paths. */
export function namesArguments(plan: DiffPlan, view: DiffView): string[] {
  return ["diff", ...RENAMES, ...NAMES_FORM, ...sides(plan), "--", ...view.paths];
}

function viewArguments({ ignoreSpace, asText }: DiffView): string[] {
  return [...(ignoreSpace ? ["--ignore-all-space"] : []), ...(asText ? ["--text"] : [])];
}

function sides({ from, to }: DiffPlan): string[] {
  const objects = [from, to].flatMap((side) => (side.kind === "tree" ? [side.object] : []));
  if (to.kind === "index") return ["--cached", ...objects];
  // Of a path in conflict, our side is compared: the combined format has no two sides to comment on.
  return from.kind === "index" ? ["--ours"] : objects;
}
