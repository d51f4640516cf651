import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Bench } from "../bench.ts";
import { program } from "../programs.ts";
import { type Driver, savedWords } from "./driver.ts";

/**
 * Copilot CLI in a terminal (of script(1)), where alone it offers exit_plan_mode. A hook of the test's own says that its
 * turn has ended, since the program waits for the next prompt then.
 */
export const copilotDriver: Driver = {
  program: "copilot",
  agent: "copilot",
  variables: (modelUrl) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "test-key",
    COPILOT_MODEL: "fake-model",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    // Trusts the folder, too.
    COPILOT_ALLOW_ALL: "true",
    TERM: "xterm-256color",
  }),
  async prepare({ home }) {
    await mkdir(join(home, ".copilot/hooks"), { recursive: true });
    const hook = { type: "command", bash: `touch '${turnEnded(home)}'`, timeoutSec: 60 };
    const hooks = { version: 1, hooks: { agentStop: [hook] } };
    await writeFile(join(home, ".copilot/hooks/test.json"), JSON.stringify(hooks));
  },
  turn({ toolResults, raw }, plan) {
    if (toolResults === 0) {
      const path = /(\/[^\s"\\`]*plan\.md)/.exec(raw)?.[1];
      if (!path) return { text: "The request names no plan file." };
      return { calls: [{ name: "create", input: { path, file_text: plan } }] };
    }
    if (toolResults > 1) return { text: "Done." };
    const input = { summary: "A plan", actions: ["interactive"], recommendedAction: "interactive" };
    return { calls: [{ name: "exit_plan_mode", input }] };
  },
  saysApproved: true,
  asTold: (words) => words,
  longWords: savedWords,
  isAfterDecision: ({ toolResults }) => toolResults >= 2,
  start: (bench) => plan(bench),
};

const processId = (home: string) => join(home, "process-id");
const turnEnded = (home: string) => join(home, "turn-ended");

async function plan(bench: Bench): Promise<string> {
  // Without a size it draws nothing.
  const start = `exec '${program("copilot")}' --plan -i 'Make a plan.'`;
  const line = `stty rows 50 cols 120; echo $$ > '${processId(bench.home)}'; ${start}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: bench.repository,
    env: bench.environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  // The program itself, and not the terminal around it.
  bench.running.push(() => process.kill(Number(readFileSync(processId(bench.home), "utf8")), "SIGKILL"));
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    screen += chunk;
  });
  while (child.exitCode === null && !(await exists(turnEnded(bench.home)))) {
    // Its own menu after the hook has allowed; this is the person's yes in the terminal, said until it is heard.
    if (screen.includes("Accept plan")) child.stdin.write("\r");
    await delay(200);
  }
  child.kill();
  return screen;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
