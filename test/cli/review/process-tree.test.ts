import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  ancestorsFrom,
  hasEnded,
  hasLostTerminal,
  listProcesses,
  PS_ARGUMENTS,
  parsePs,
  parseStat,
} from "../../../src/cli/review/process-tree.ts";

/** The output of macOS 15. */
const MACOS = `    1     0 ??       Ss   Mon Nov 23 08:00:01 2026
  501     1 ttys003  Ss   Mon Nov 23 09:00:00 2026
  777   501 ttys003  S+   Mon Nov 23 09:30:00 2026
  778   777 ??       S    Mon Nov 23 09:30:05 2026
  779   777 ttys003  Z+   Mon Nov 23 09:30:06 2026
`;
const table = (text: string) => {
  const entries = parsePs(text);
  return (pid: number) => entries.get(pid);
};

describe("process tree", () => {
  it("reads the output of ps on macOS", () => {
    const processes = table(MACOS);
    expect(ancestorsFrom(778, processes).map(({ pid, terminal }) => [pid, terminal])).toEqual([
      [778, undefined],
      [777, "ttys003"],
      [501, "ttys003"],
    ]);
    expect(processes(779)).toBeUndefined();
  });

  it("finds an ended ancestor, one that another process replaced, and a closed terminal", () => {
    const ancestors = ancestorsFrom(778, table(MACOS));
    const isSign = (text: string) => {
      const now = table(text);
      return (
        ancestors.some((each) => hasEnded(each, now)) || ancestors.some((each) => hasLostTerminal(each, now))
      );
    };
    expect(isSign(MACOS)).toBe(false);
    expect(isSign(MACOS.replace(/^ {2}777.*\n/m, ""))).toBe(true);
    expect(isSign(MACOS.replace("09:30:00", "09:31:00"))).toBe(true);
    expect(isSign(MACOS.replace("777   501 ttys003", "777   501 ??     "))).toBe(true);
  });

  it("reads the output of ps on this machine", () => {
    if (process.platform === "win32") return;
    const entries = parsePs(execFileSync("ps", PS_ARGUMENTS, { encoding: "utf8", env: { LC_ALL: "C" } }));
    expect(entries.get(process.pid)?.parent).toBe(process.ppid);
  });

  it("reads /proc/PID/stat with any command name", () => {
    const rest = "S 41 7 7 34816 7 4194304 1 0 0 0 1 1 0 0 20 0 1 0 987654 1 1";
    expect(parseStat(42, `42 (a) b (c) ${rest}`)).toEqual({
      pid: 42,
      parent: 41,
      terminal: "pts/0",
      started: "987654",
    });
    expect(parseStat(42, `42 (a) ${rest.replace("34816", "0")}`)?.terminal).toBeUndefined();
    expect(parseStat(42, `42 (a) ${rest.replace("S", "Z")}`)).toBeUndefined();
  });

  it("lists no processes on Windows", async () => {
    expect(await listProcesses("win32")).toBeUndefined();
  });
});
