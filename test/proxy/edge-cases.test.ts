import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const page = readFileSync(join(import.meta.dirname, "../../docs/reference/edge-cases.md"), "utf8");
const listed = [...page.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));

/** The numbers at the start of test names in this folder: `"94, 95: …"`. */
function numbersIn(folder: string): Set<number> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const names = texts.join("\n").matchAll(/(?:\b(?:it|describe)|\))\(\s*"(\d+(?:,? \d+)*):? /g);
  return new Set([...names].flatMap(([, numbers = ""]) => numbers.split(/,? /).map(Number)));
}

it("every edge case of docs/reference/edge-cases.md has a test with its number", () => {
  expect(listed).toEqual(Array.from({ length: 112 }, (_, index) => index + 1));
  const tested = numbersIn(import.meta.dirname);
  expect(listed.filter((number) => !tested.has(number))).toEqual([]);
  expect([...tested].filter((number) => !listed.includes(number))).toEqual([]);
});

it("every complaint in docs/reference/edge-cases.md has a test with its number in the named file", () => {
  const rows = [...page.matchAll(/^\| (\d+) \| .+ \| `(.+)` \|$/gm)].map(([, number, file = ""]) => ({
    number: Number(number),
    file,
  }));
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  const named = ({ number, file }: (typeof rows)[number]) =>
    readFileSync(join(import.meta.dirname, file), "utf8").includes(`it("complaint ${number}: `);
  expect(rows.filter((row) => !named(row))).toEqual([]);
});
