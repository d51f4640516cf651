import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lossCodes, lossFamilies } from "../../../src/proxy/exchange/loss-codes.ts";
import {
  clientDialects,
  getResponseCell,
  requestCell,
  requestFeatures,
  responseFeatures,
  table,
  upstreamDialects,
} from "./features.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/translation.md"), "utf8");

describe("docs/reference/translation.md", () => {
  it("describes the conversion of every request feature as the encoders perform it", () => {
    expect(page).toContain(table(upstreamDialects, requestFeatures, requestCell));
  });

  it("describes the conversion of every response feature as the encoders perform it", () => {
    expect(page).toContain(table(clientDialects, responseFeatures, getResponseCell));
  });

  it("lists every loss code, and no other code", () => {
    const rows = Object.entries({ ...lossCodes, ...lossFamilies }).map(
      ([code, what]) => `| \`${code}\` | ${what} |`,
    );
    expect(page).toContain(`| code | what happened |\n|---|---|\n${rows.join("\n")}\n`);
    expect(page).not.toContain(`${rows.at(-1)}\n|`);
  });
});
