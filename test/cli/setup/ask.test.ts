import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { confirm } from "../../../src/cli/setup/carry-out.ts";

it.each([
  ["y\n", "yes"],
  ["YES\n", "yes"],
  ["n\n", "no"],
  ["\n", "no"],
  ["yeah\n", "no"],
  ["\u0003", "interrupted"],
  ["\u0004", "no"],
])("takes %j for %s", async (typed, wanted) => {
  const input = new PassThrough();
  const output = new PassThrough();
  const choice = confirm("Go on?", input, output);
  input.write(typed);
  expect(await choice).toBe(wanted);
  // Node.js 26 reads one chunk at a time.
  expect(await text(output.end())).toContain("Go on? [y/N] ");
});
