import { describe, expect, it } from "vitest";
import type { DiffMove } from "../../../../src/review/api-types.ts";
import { byFile, moveAt, otherEnd } from "../../../../web/code/core/moves.ts";

const move = (from: [string, number], to: [string, number], length: number): DiffMove => ({
  from: { path: from[0], lineStart: from[1], lineEnd: from[1] + length - 1 },
  to: { path: to[0], lineStart: to[1], lineEnd: to[1] + length - 1 },
  changed: false,
});

describe("moves by file", () => {
  const first = move(["a.ts", 40], ["b.ts", 1], 5);
  const second = move(["a.ts", 10], ["b.ts", 90], 3);
  const files = byFile([first, second]);

  it("finds the move of a line on either side, by its number", () => {
    expect(moveAt(files.get("a.ts"), "old", 10)).toBe(second);
    expect(moveAt(files.get("a.ts"), "old", 44)).toBe(first);
    expect(moveAt(files.get("a.ts"), "old", 45)).toBeUndefined();
    expect(moveAt(files.get("a.ts"), "new", 10)).toBeUndefined();
    expect(moveAt(files.get("b.ts"), "new", 92)).toBe(second);
    expect(moveAt(files.get("c.ts"), "new", 1)).toBeUndefined();
  });

  it("returns the line at the other end", () => {
    expect(otherEnd(first, "old", 42)).toEqual({ path: "b.ts", side: "new", number: 3 });
    expect(otherEnd(first, "new", 3)).toEqual({ path: "a.ts", side: "old", number: 42 });
  });
});
