import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, expect, it, vi } from "vitest";
import { confirm, describeMissingTerminal } from "../../../src/cli/setup/carry-out.ts";

afterEach(() => vi.restoreAllMocks());

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

it.each([
  [true, true, undefined],
  [false, true, "stdin is not a terminal"],
  [true, false, "stderr is not a terminal"],
  [false, false, "stdin and stderr are not terminals"],
])("names what is not a terminal: stdin %j, stderr %j", (stdin, stderr, text) => {
  vi.spyOn(process, "stdin", "get").mockReturnValue({ isTTY: stdin } as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue({ isTTY: stderr } as never);
  expect(describeMissingTerminal()).toBe(text);
});
