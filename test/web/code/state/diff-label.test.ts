import { describe, expect, it } from "vitest";
import { comparedCommand, diffCommand } from "../../../../web/code/state/diff-label.ts";

describe("the command that prints a diff", () => {
  it.each([
    ["git", "HEAD", "git diff HEAD"],
    ["jj", "jj diff --git", "jj diff --git"],
    ["sapling", "sl diff", "sl diff"],
  ] as const)("is known for %s", (source, gitRef, command) => {
    expect(diffCommand({ source, gitRef })).toBe(command);
    expect(comparedCommand({ source, gitRef })).toBe(command);
  });

  it.each([
    ["patch", "fix.patch"],
    ["files", "old.txt new.txt"],
    ["pr", "main...feature"],
  ] as const)("is undefined for the source %s, which has only a description", (source, gitRef) => {
    expect(diffCommand({ source, gitRef })).toBeUndefined();
    expect(comparedCommand({ source, gitRef })).toBe(gitRef);
  });
});
