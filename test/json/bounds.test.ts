import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeExcess, findExcess, JsonCounter } from "../../src/json/bounds.ts";

/** Counts the objects, arrays, members and elements of a parsed value, plus one for each empty container. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const members = Object.values(value);
  return members.length === 0 ? 2 : members.reduce((sum: number, each) => sum + valuesIn(each), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const excess = (text: string, values: number, depth = 256) =>
  new JsonCounter({ values, depth }).push(Buffer.from(text));

describe("JSON bounds", () => {
  it("allow exactly as many values and levels as they name, wherever the bytes are cut", () => {
    const awkward = fc.string({ unit: fc.constantFrom('"', "\\", "{", "[", ",", "é", "x".repeat(70)) });
    const json = fc
      .jsonValue({ maxDepth: 5, stringUnit: "grapheme" })
      .chain((value) => fc.dictionary(awkward, awkward).map((texts) => ({ value, texts })));
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 90 }), (value, size) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const run = (values: number, depth: number) => {
          const counter = new JsonCounter({ values, depth });
          for (let from = 0; from < bytes.length; from += size) {
            const found = counter.push(bytes.subarray(from, from + size));
            if (found) return found;
          }
          return undefined;
        };
        const parsed: unknown = JSON.parse(bytes.toString());
        const [values, depth] = [valuesIn(parsed), depthOf(parsed)];
        expect(run(values, depth)).toBeUndefined();
        expect(run(values - 1, depth)).toBe("values");
        expect(run(values, depth - 1)).toBe("depth");
      }),
    );
  });

  it.each([
    ["elements", "[1,2,3]", 3],
    ["members", '{"a":1,"b":2}', 2],
    ["empty objects", "[{},{}]", 3],
    ["names that repeat", '{"a":1,"a":2}', 2],
  ])("count %s", (_what, text, values) => {
    expect(excess(text, values)).toBe("values");
  });

  it("count nothing inside strings, however long they are and however their quotes are escaped", () => {
    for (const inside of [
      "[{,".repeat(1_000),
      `${"x".repeat(200)}\\"[[[`,
      `${"\\\\".repeat(100)}`,
      `${'\\"'.repeat(100)}[,`,
      `${"x".repeat(63)}\\\\`,
    ])
      expect(excess(`{"a":"${inside}"}`, 2, 1)).toBeUndefined();
  });

  it("stop at the first level too many, and in the slice of the first value too many", async () => {
    expect(excess("[".repeat(1_000_000), 10_000_000)).toBe("depth");
    const flood = Buffer.from(`[${"{},".repeat(2_000_000)}{}]`);
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    expect(await findExcess(flood, { values: 1_000, depth: 10 })).toBe("values");
    expect(turns).toBe(0);
    expect(await findExcess(flood, { values: 10_000_000, depth: 10 })).toBeUndefined();
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });

  it("are named in what a person reads", () => {
    const bounds = { values: 5, depth: 2 };
    expect(describeExcess("depth", bounds)).toBe("nests deeper than 2 levels");
    expect(describeExcess("values", bounds)).toBe("holds more than 5 values");
  });
});
