import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../src/cli/run.ts";

const output = (lostResult = false) => ({
  note: () => {},
  result: async () => !lostResult,
  interactive: false,
  lostResult,
});

describe("an error", () => {
  const collectNotes = async (...args: string[]) => {
    const notes: string[] = [];
    await run(args, { ...output(), note: (text, kind) => void (kind !== "detail" && notes.push(text)) });
    return notes;
  };

  it("ends with its code, and is followed by the hint", async () => {
    expect(await collectNotes("install", "nobody")).toEqual([
      "sallyport: Unknown agent: nobody [usage]",
      expect.stringMatching(/^Known agents: /),
    ]);
  });

  it.each([
    [["review", "plan", "--prot", "3"], "unknown option '--prot' [usage]\n(Did you mean --port?)"],
    [["nosuch\u001b[31m"], "unknown command 'nosuch\u001b[31m' [usage]"],
    [["reveiw"], "unknown command 'reveiw' [usage]\n(Did you mean review?)"],
    [["connect"], "unknown command 'connect' [usage]\n(Did you mean sallyport proxy connect?)"],
    [
      ["review", "logs"],
      "unknown command 'logs' [usage]\n(Did you mean sallyport proxy logs or sallyport proxy service logs?)",
    ],
    [["proxy", "connect"], "missing required argument 'client' [usage]"],
  ])("of the arguments %j has a code too", async (args, message) => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await collectNotes(...args)).toEqual([`sallyport: ${message}`]);
  });

  it("has its stack with --debug, before or behind the command", async () => {
    for (const args of [
      ["--debug", "install", "nobody"],
      ["install", "nobody", "--debug"],
    ])
      expect((await collectNotes(...args)).filter((line) => /^\s+at /.test(line)).length).toBeGreaterThan(0);
  });
});

describe("the exit code", () => {
  beforeEach(() => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
  });
  afterEach(() => vi.restoreAllMocks());

  it.each([
    [["--help"], 0],
    [["help", "proxy", "start"], 0],
    [["version"], 0],
    [["completion"], 2],
    [[], 2],
    [["reveiw"], 2],
    [["help", "reveiw"], 2],
    [["review", "plan", "--prot", "3"], 2],
    [["proxy", "keys", "--new", " "], 2],
  ])("of %j is %i", async (args, code) => {
    expect(await run(args, output())).toBe(code);
  });

  it.each([["--caller-waits"], ["--caller-waits=60"]])(
    "of a hook that another version wrote is none that agents take for a refusal: %s",
    async (flag) => {
      expect(await run(["review", "plan", "--of-tomorrow", flag, "60"], output())).toBe(1);
    },
  );

  it("is 1 if the result was lost", async () => {
    expect(await run(["completion", "bash"], output())).toBe(0);
    expect(await run(["completion", "bash"], output(true))).toBe(1);
  });
});
