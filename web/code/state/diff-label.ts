import type { DiffIndex } from "../../../src/review/api-types.ts";

/** Returns the label of a diff type: that of its option, or a label derived from the commit or base. */
export function diffLabel(index: DiffIndex | undefined, diffType: string): string {
  const { diffOptions = [], moreDiffOptions = [] } = index?.gitContext ?? {};
  const option = [...diffOptions, ...moreDiffOptions].find(({ id }) => id === diffType);
  if (option) return option.label;
  const [, kind = "", names = diffType] = /^(commit|base|range):(.*)$/s.exec(diffType) ?? [];
  const shown = names.replace(/\b([0-9a-f]{7})[0-9a-f]{33,57}\b/g, "$1");
  return `${{ commit: "Commit ", base: "vs " }[kind] ?? ""}${shown}`;
}

/** Returns the command that prints a diff, or a description of a diff without one. */
export function comparedCommand({ source, gitRef }: Pick<DiffIndex, "source" | "gitRef">): string {
  return source === "git" ? `git diff ${gitRef}` : gitRef;
}
