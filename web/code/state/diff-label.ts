import type { DiffIndex } from "../../../src/review/api-types.ts";

/** Returns the label of a diff type: that of its option, else derived from the commit or base. */
export function diffLabel(index: DiffIndex | undefined, diffType: string): string {
  const { diffOptions = [], moreDiffOptions = [] } = index?.gitContext ?? {};
  const option = [...diffOptions, ...moreDiffOptions].find(({ id }) => id === diffType);
  return option?.label ?? diffType.replace(/^commit:/, "Commit ").replace(/^base:/, "vs ");
}
