import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { benches, tablesIn } from "../../bench/benches.mjs";
import { regressions, unmeasured } from "../../bench/regressions.mjs";

const result = (lower: boolean, value: number) => ({
  id: "startup",
  title: "Start",
  lower,
  ratios: { url: value },
});
const stored = { startup: { url: 2 } };

describe("ratios of benches", () => {
  it.each([
    ["slower by a fifth and a bit", true, 2.41, 1],
    ["slower within the tolerance", true, 2.39, 0],
    ["faster", true, 1, 0],
    ["less of the floor by a fifth and a bit", false, 1.59, 1],
    ["less of the floor within the tolerance", false, 1.61, 0],
    ["more of the floor", false, 3, 0],
  ])("%s", (_name, lower, now, count) => {
    const worse = regressions([result(lower, now)], stored);
    expect(worse).toHaveLength(count);
    if (count === 1) expect(worse[0]).toMatchObject({ id: "startup", name: "url", before: 2, now });
  });

  it("lets the better of two measurements count, and ignores what was not stored", () => {
    expect(regressions([result(true, 9), result(true, 2)], stored)).toEqual([]);
    expect(regressions([result(true, 9)], {})).toEqual([]);
  });

  it("are missed where a run did not come to them, unless it failed and says so itself", () => {
    const empty = { ...result(true, 1), ratios: {} };
    expect(unmeasured([empty], stored)).toEqual(["Start: url"]);
    expect(unmeasured([{ ...empty, failed: "no nginx" }, result(true, 2)], stored)).toEqual([]);
  });

  it("are read from Markdown tables among other text", () => {
    const text = "AMD\n\n| a | b |\n|---|---:|\n| x | 1 |\n| y | 2 |\n\nMemory 3 MB\n| c |\n|---|\n| z |\n";
    const [first, second] = tablesIn(text);
    expect(first).toEqual([
      { a: "x", b: "1" },
      { a: "y", b: "2" },
    ]);
    expect(second).toEqual([{ c: "z" }]);
  });
});

describe("the benches of npm run bench", () => {
  const peers = { difit: "difit", portkey: "portkey", ccr: "ccr" };
  const commands = benches.flatMap(({ commands }) =>
    [true, false].flatMap((short) => commands({ short, peers })),
  );

  it.each(commands)("%s defines each option that it is run with", (script, ...parameters) => {
    const source = readFileSync(resolve(import.meta.dirname, "../..", script ?? ""), "utf8");
    const options = parameters.filter((parameter) => parameter.startsWith("--"));
    const missing = options.filter((option) => !new RegExp(`\\b${option.slice(2)}: \\{ type:`).test(source));
    expect(missing).toEqual([]);
  });
});
