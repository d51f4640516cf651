import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Bench } from "./bench.ts";

/** A program in a separate terminal, created by script(1). */
export interface Terminal {
  /** The program's output so far, including control sequences. */
  screen(): string;
  /** Types once. */
  type(key: string): void;
  /** Closes the window: the programs in it receive SIGHUP. */
  close(): void;
  /**
   * Types until the agent's turn has ended or another condition is met, because a key may arrive before the program
   * reads input.
   */
  press(key: string, isHandled: () => boolean): Promise<void>;
  /** Resolves to the screen once the turn has ended, with the program stopped. */
  readonly turnEnded: Promise<string>;
}

/**
 * The shell command of the test's hook, with which the agent reports that its turn has ended and that it waits for a
 * prompt.
 */
export const markTurnEnded = (home: string) => `touch '${endMark(home)}'`;

interface TerminalOptions {
  /**
   * Whether the shell continues after the program ends, as a person's shell does. Otherwise the terminal ends with
   * it.
   */
  readonly keepsShell?: boolean;
}

/** Queries that programs send to a terminal before they draw (xterm's control sequences): position, type, colors. */
const QUESTIONS = [
  ["\u001b[6n", "\u001b[1;1R"],
  ["\u001b[c", "\u001b[?62;c"],
  ["\u001b]10;?", "\u001b]10;rgb:ffff/ffff/ffff\u001b\\"],
  ["\u001b]11;?", "\u001b]11;rgb:0000/0000/0000\u001b\\"],
] as const;

/** A shell runs `line`. The bench's `stop` kills the program itself, not the terminal around it. */
export function openTerminal(
  bench: Bench,
  line: string,
  { keepsShell = false }: TerminalOptions = {},
): Terminal {
  const processId = join(bench.home, "process-id");
  const start = `echo $$ > "$ID"; exec ${line}`;
  // Without a terminal size, programs draw nothing.
  const started = `stty rows 50 cols 120; ${keepsShell ? `sh -c '${start.replaceAll("'", "'\\''")}'; exec sleep 600` : start}`;
  const child = spawn("script", ["-qec", started, "/dev/null"], {
    cwd: bench.repository,
    env: { ...bench.environment, ID: processId },
    stdio: ["pipe", "pipe", "inherit"],
  });
  bench.running.push(() => process.kill(Number(readFileSync(processId, "utf8")), "SIGKILL"));
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    screen += chunk;
    for (const [question, response] of QUESTIONS) if (chunk.includes(question)) child.stdin.write(response);
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    screen: () => screen,
    type: (key) => void child.stdin.write(key),
    close: () => void child.kill("SIGKILL"),
    async press(key, isHandled) {
      while (!hasEnded() && !isHandled()) {
        child.stdin.write(key);
        await delay(300);
      }
    },
    turnEnded: (async () => {
      while (!hasEnded() && !(await exists(endMark(bench.home)))) await delay(50);
      child.kill();
      return screen;
    })(),
  };
}

const endMark = (home: string) => join(home, "turn-ended");

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
