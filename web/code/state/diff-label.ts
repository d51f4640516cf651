import type { DiffIndex } from "../../../src/review/api-types.ts";

/** Returns what a diff type is called on the page: the label of its option, else the name the person gave. */
export function diffLabel(index: DiffIndex | undefined, diffType: string): string {
  const { diffOptions = [], moreDiffOptions = [] } = index?.gitContext ?? {};
  const option = [...diffOptions, ...moreDiffOptions].find(({ id }) => id === diffType);
  return option?.label ?? diffType.replace(/^commit:/, "Commit ").replace(/^base:/, "vs ");
}
