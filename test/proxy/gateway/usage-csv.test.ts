import { describe, expect, it } from "vitest";
import { usageCsv } from "../../../src/proxy/gateway/usage-csv.ts";

/** Returns the first field of a report with one row for this model. */
function fieldOf(model: string): string | undefined {
  const [, row = ""] = usageCsv([{ model, calls: 1 }], ["model"]).split("\r\n");
  return row.slice(0, row.indexOf(",1,"));
}

describe("a usage report as CSV", () => {
  it.each([
    ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
    ["=1+1", "'=1+1"],
    ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
    ["-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"],
    ["@SUM(1+1)", "'@SUM(1+1)"],
    ["\t=1+1", "'\t=1+1"],
  ])("does not let a spreadsheet evaluate the name %s", (model, field) => {
    expect(fieldOf(model)).toBe(field);
  });

  it.each(["@cf/meta/llama-3.1-8b", "gpt-5", "vendor/model:free", "-5"])("keeps the name %s", (model) => {
    expect(fieldOf(model)).toBe(model);
  });
});
