import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toScriptArguments } from "../../../src/cli/run-agent/run-agent.ts";

/**
 * Returns a command line as cmd.exe passes it on: outside of quotes, a caret escapes the next character. Throws where an
 * operator or an unescaped `%` would change the line.
 */
function readByShell(line: string): string {
  let read = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (character === '"') isQuoted = !isQuoted;
    if (character === "^" && !isQuoted) {
      at += 1;
      read += line[at] ?? "";
    } else if (character === "%" || (!isQuoted && /[&|<>()]/.test(character))) {
      throw new Error(`cmd.exe interprets ${character} in ${line}`);
    } else read += character;
  }
  return read;
}

/** Splits a command line by the rules of the C runtime for Windows. */
function splitByProgram(line: string): string[] {
  const args: string[] = [];
  for (let at = 0; at < line.length; ) {
    if (line[at] === " ") {
      at += 1;
      continue;
    }
    let arg = "";
    let isQuoted = false;
    for (; at < line.length && (isQuoted || line[at] !== " "); at += 1) {
      const [slashes = ""] = /^\\*/.exec(line.slice(at)) ?? [];
      if (slashes !== "" && line[at + slashes.length] === '"') {
        arg += "\\".repeat(Math.floor(slashes.length / 2));
        at += slashes.length;
        if (slashes.length % 2 === 1) arg += '"';
        else isQuoted = !isQuoted;
      } else if (line[at] === '"') isQuoted = !isQuoted;
      else arg += line[at];
    }
    args.push(arg);
  }
  return args;
}

const SCRIPT = "C:\\Users\\Ada & Co\\npm\\codex.cmd";

/** Returns the script that cmd.exe starts, and the arguments that the program behind the script receives. */
function receive(args: readonly string[]) {
  const [d, s, c, line = ""] = toScriptArguments(SCRIPT, args);
  expect([d, s, c, line[0], line.at(-1)]).toEqual(["/d", "/s", "/c", '"', '"']);
  const command = readByShell(line.slice(1, -1));
  expect(command.startsWith(SCRIPT)).toBe(true);
  return splitByProgram(readByShell(command.slice(SCRIPT.length)));
}

describe("the arguments of a script on Windows", () => {
  it.each([
    [["exec", "fix the tests"]],
    [["-c", 'model_providers.sallyport={name="Sallyport",base_url="http://127.0.0.1:8045/v1"}']],
    [["50% of %PATH%", "a & b > c", "^caret", "!x!", ""]],
    [["C:\\folder with blank\\", 'ends with \\"']],
  ])("reach the program unchanged: %j", (args) => {
    expect(receive(args)).toEqual(args);
  });

  it("reach the program unchanged for any printable text", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab\\\"'^%!&|<>() ;,=*?~`[]{}$#@é") });
    fc.assert(
      fc.property(fc.array(text), (args) => {
        expect(receive(args)).toEqual(args);
      }),
    );
  });
});
