import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FIRST_ISSUE } from "../../src/json/first-issue.ts";

/** An array that counts how many of its elements are read. */
function watched(length: number): { list: unknown[]; reads: () => number } {
  let reads = 0;
  const list = new Proxy(
    Array.from({ length }, () => ({})),
    {
      get(target, name, receiver) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { list, reads: () => reads };
}

describe("parsing with FIRST_ISSUE", () => {
  const element = z.looseObject({ type: z.string(), more: z.string() });
  it.each([
    ["a list", z.looseObject({ a: z.array(element) })],
    ["a list of a union", z.looseObject({ a: z.union([z.string(), z.array(element)]) })],
    ["a list that may be missing", z.object({ a: z.array(element).nullish() })],
    ["a list with a least length", z.object({ a: z.array(element).min(1) })],
    ["a list in a list", z.object({ a: z.array(z.union([z.array(element), element])) })],
  ])("reads one element of %s that is wrong", (_what, schema) => {
    const { list, reads } = watched(10_000);
    const parsed = schema.safeParse({ a: list }, FIRST_ISSUE);
    expect(parsed.success).toBe(false);
    expect(parsed.error?.issues).toHaveLength(1);
    expect(reads()).toBeLessThanOrEqual(2);
  });

  it("gives what is right whole", () => {
    const value = { a: [{ type: "x", more: "y", other: 1 }] };
    expect(z.object({ a: z.array(element) }).parse(value, FIRST_ISSUE)).toEqual(value);
  });
});
