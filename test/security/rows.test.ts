import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { defenses } from "../../scripts/defenses.mjs";

const root = resolve(import.meta.dirname, "../..");
const rows = [
  ...readFileSync(join(root, "docs/threats.md"), "utf8").matchAll(/^\| ([RGP]\d+) \| .+? \| (.+) \|$/gm),
].map(([, row = "", tests = ""]) => ({
  row,
  tests: [...tests.matchAll(/`(.+?)`/g)].map((match) => match[1] ?? ""),
}));

it("every row of the threat model has tests, and every test has a row", () => {
  const expected = [
    ["R", 17],
    ["G", 10],
    ["P", 18],
  ] as const;
  const names = expected.flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
  expect(rows.map(({ row }) => row)).toEqual(names);
  for (const { row, tests } of rows) {
    expect([row, tests.filter((test) => !existsSync(join(root, test)))]).toEqual([row, []]);
    const own = `${row[0]?.toLowerCase()}${row.slice(1).padStart(2, "0")}-`;
    expect([row, tests.some((test) => test.includes(`/${own}`))]).toEqual([row, true]);
  }
  const listed = new Set(rows.flatMap(({ tests }) => tests));
  const files = readdirSync(import.meta.dirname).filter((name) => /^[rgp]\d\d-/.test(name));
  expect(files.filter((name) => !listed.has(`test/security/${name}`))).toEqual([]);
});

it("every row has a defense in scripts/defenses.mjs whose code still exists", () => {
  const covered = new Set(defenses.map(([row]) => row));
  expect(rows.map(({ row }) => row).filter((row) => !covered.has(row))).toEqual([]);
  const missing = defenses.flatMap(([row, tests, ...changes]) => {
    const files = changes.filter((_, index) => index % 3 === 0);
    const missing = files.filter((file, index) => {
      const text = changes[3 * index + 1] ?? "";
      return text === "" || !readFileSync(join(root, file), "utf8").includes(text);
    });
    const isTested = readdirSync(join(root, "test", dirname(tests))).some((name) =>
      name.startsWith(basename(tests)),
    );
    return [...missing.map((file) => `${row} ${file}`), ...(isTested ? [] : [`${row} test/${tests}`])];
  });
  expect(missing).toEqual([]);
});
