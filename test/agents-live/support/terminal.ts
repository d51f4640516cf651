import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Bench } from "./bench.ts";

/** A program in a terminal of its own, made by script(1). */
export interface Terminal {
  /** All that the program has drawn so far, control sequences included. */
  screen(): string;
  /** Types until the agent's turn has ended or something else is true: a key may come before anybody listens for it. */
  press(key: string, isHandled: () => boolean): Promise<void>;
  /** Resolves to the screen once the turn has ended, with the program stopped. */
  readonly turnEnded: Promise<string>;
}

/** Shell line for a hook of the test's own, by which the agent says that its turn has ended: it waits for a prompt then. */
export const markTurnEnded = (home: string) => `touch '${endMark(home)}'`;

/** `line` is started by a shell; `stop` of the bench kills the program itself and not the terminal around it. */
export function openTerminal(bench: Bench, line: string): Terminal {
  const processId = join(bench.home, "process-id");
  // Without a size programs draw nothing.
  const started = `stty rows 50 cols 120; echo $$ > '${processId}'; exec ${line}`;
  const child = spawn("script", ["-qec", started, "/dev/null"], {
    cwd: bench.repository,
    env: bench.environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  bench.running.push(() => process.kill(Number(readFileSync(processId, "utf8")), "SIGKILL"));
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    screen += chunk;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    screen: () => screen,
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
