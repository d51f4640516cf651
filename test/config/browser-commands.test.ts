import { describe, expect, it } from "vitest";
import { argumentsWith, type BrowserCommand, browserCommands } from "../../src/config/browser-commands.ts";

const url = "http://localhost:4711/?a=$&b";

/** Returns the command lines in the order in which they are tried, with the URL inserted. */
const parse = (browser: string, separator?: string): string[][] =>
  browserCommands(browser, separator).map((command) => [command[0], ...argumentsWith(url, command)]);

describe("a browser is", () => {
  it.each<[string, string, string[][]]>([
    ["a program's name", "firefox", [["firefox", url]]],
    [
      "a program with words of its own",
      "firefox --new-window",
      [
        ["firefox --new-window", url],
        ["firefox", "--new-window", url],
      ],
    ],
    [
      "a command line that says where the address goes",
      'open -a "Google Chrome" %s',
      [
        ['open -a "Google Chrome" %s', url],
        ["open", "-a", "Google Chrome", url],
      ],
    ],
    ["one with the address within a word", "w --at=%s,%s --once", [["w", `--at=${url},${url}`, "--once"]]],
    [
      "one with a blank that a backslash keeps",
      "open -a Google\\ Chrome",
      [["open", "-a", "Google Chrome", url]],
    ],
    [
      "one with quotes within a word",
      "'my browser' --title=\"a b\"'c d'",
      [["my browser", "--title=a bc d", url]],
    ],
    ["one that would go to the background", "konqueror %s &", [["konqueror", url]]],
    ["one with a quote that never ends, which counts for nothing", 'say "hello', [["say", "hello", url]]],
    [
      "the first of several",
      "w3m:lynx -x:elinks",
      [
        ["w3m", url],
        ["lynx -x", url],
        ["lynx", "-x", url],
        ["elinks", url],
      ],
    ],
    ["none of the empty ones", "::w3m: :", [["w3m", url]]],
    ["nothing", " ", []],
  ])("%s", (_what, browser, expected) => {
    expect(parse(browser, ":")).toEqual(expect.arrayContaining(expected));
    expect(parse(browser, ":").at(-1)).toEqual(expected.at(-1));
  });

  it("a path with blanks and colons before it is anything else", () => {
    const path = "/opt/My Browser: the 2nd/run";
    expect(parse(path, ":")[0]).toEqual([path, url]);
  });

  it("a path of Windows, whose lists are parted otherwise", () => {
    const path = String.raw`C:\Program Files\Mozilla Firefox\firefox.exe`;
    expect(parse(`"${path}" -new-window;edge`, ";")).toEqual(
      expect.arrayContaining([
        [path, "-new-window", url],
        ["edge", url],
      ]),
    );
  });

  it("tried once, however often it is named", () => {
    expect(browserCommands("w3m:w3m", ":")).toEqual<BrowserCommand[]>([["w3m:w3m"], ["w3m"]]);
  });
});
