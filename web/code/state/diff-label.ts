import type { DiffIndex } from "../../../src/review/api-types.ts";

/** Returns the label of a diff type: that of its option, or otherwise a label derived from the diff type. */
export function diffLabel(index: DiffIndex | undefined, diffType: string): string {
  const { diffOptions = [], moreDiffOptions = [] } = index?.gitContext ?? {};
  const option = [...diffOptions, ...moreDiffOptions].find(({ id }) => id === diffType);
  if (option) return option.label;
  const [, kind = "", names = diffType] = /^(commit|base|range):(.*)$/s.exec(diffType) ?? [];
  const shown = names.replace(/\b([0-9a-f]{7})[0-9a-f]{33,57}\b/g, "$1");
  return `${{ commit: "Commit ", base: "vs " }[kind] ?? ""}${shown}`;
}

/** Returns the command that prints a diff; undefined for the diff of a patch, of files or of a pull request. */
export function diffCommand({ source, gitRef }: Pick<DiffIndex, "source" | "gitRef">): string | undefined {
  if (source === "git") return `git diff ${gitRef}`;
  return source === "jj" || source === "sapling" ? gitRef : undefined;
}

/** Returns the command that prints a diff, or a description of a diff without one. */
export function comparedCommand(index: Pick<DiffIndex, "source" | "gitRef">): string {
  return diffCommand(index) ?? index.gitRef;
}
