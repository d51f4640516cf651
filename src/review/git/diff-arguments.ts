import { devNull } from "node:os";
import type { DiffPlan } from "./diff-types.ts";

export interface DiffView {
  /** Whether lines that differ only in whitespace count as equal. */
  readonly ignoreSpace: boolean;
  /** Whether binary files, including those that attributes declare binary, are compared as text. */
  readonly asText?: boolean;
  /** Paths, relative to the repository root, that limit the diff; empty for all. */
  readonly paths: readonly string[];
}

const RENAMES = ["--find-renames=50%", "-l1000"] as const;

/** Git fails if the order file that the configuration names cannot be read. */
const NO_ORDER_FILE = `-O${devNull}`;

/** Options that override the configuration of the patch format. */
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
  // Compares the commits of a submodule without running git in it; .gitmodules cannot hide the submodule.
  "--ignore-submodules=dirty",
] as const;

/** Options that make a list of changed paths independent of the configuration. */
export const NAMES_FORM = [
  "--raw",
  "-z",
  "--no-ext-diff",
  "--no-relative",
  NO_ORDER_FILE,
  "--ignore-submodules=dirty",
] as const;

/** Returns the arguments of `git diff` for a plan. Objects are full names, and paths follow `--`. */
export function diffArguments(plan: DiffPlan, view: DiffView): string[] {
  return ["diff", ...FIXED_FORM, ...viewArguments(view), ...sides(plan), "--", ...view.paths];
}

/** Returns the arguments of `git diff` that show every file of an intent-to-add index as added. */
export function additionArguments(view: DiffView): string[] {
  return ["diff", ...FIXED_FORM, "--ita-invisible-in-index", ...viewArguments(view), "--"];
}

/**
 * Returns the arguments that list changed paths with rename detection as in the patch: a renamed file is one entry
 * with both paths.
 */
export function namesArguments(plan: DiffPlan, view: DiffView): string[] {
  return ["diff", ...RENAMES, ...NAMES_FORM, ...sides(plan), "--", ...view.paths];
}

function viewArguments({ ignoreSpace, asText }: DiffView): string[] {
  return [...(ignoreSpace ? ["--ignore-all-space"] : []), ...(asText ? ["--text"] : [])];
}

function sides({ from, to }: DiffPlan): string[] {
  const objects = [from, to].flatMap((side) => (side.kind === "tree" ? [side.object] : []));
  if (to.kind === "index") return ["--cached", ...objects];
  // For a path in conflict, our side is compared: the combined format has no two sides to comment on.
  return from.kind === "index" ? ["--ours"] : objects;
}
