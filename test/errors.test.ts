import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { errorCatalogue } from "../src/errors.ts";

it("docs/reference/errors.md is the catalogue, code by code", () => {
  const documented = readFileSync(resolve(import.meta.dirname, "../docs/reference/errors.md"), "utf8");
  const rows = [...documented.matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| (.+) \|$/gm)].map(
    ([, code, status, exitCode, meaning]) => [code, Number(status), Number(exitCode), meaning],
  );
  const catalogue = Object.entries(errorCatalogue).map(([code, { status, exitCode, meaning }]) => [
    code,
    status,
    exitCode,
    meaning,
  ]);
  expect(rows).toEqual(catalogue);
});
