import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { program } from "../programs.ts";
import { markTurnEnded, openTerminal } from "../terminal.ts";
import { type Driver, readSavedText } from "./driver.ts";

/** Copilot CLI in a terminal, because it offers exit_plan_mode only there. */
export const copilotDriver: Driver = {
  program: "copilot",
  agent: "copilot",
  variables: (modelUrl) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "test-key",
    COPILOT_MODEL: "fake-model",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    // Also trusts the folder.
    COPILOT_ALLOW_ALL: "true",
    TERM: "xterm-256color",
  }),
  async prepare({ home }) {
    await mkdir(join(home, ".copilot/hooks"), { recursive: true });
    const hook = { type: "command", bash: markTurnEnded(home), timeoutSec: 60 };
    const hooks = { version: 1, hooks: { agentStop: [hook] } };
    await writeFile(join(home, ".copilot/hooks/test.json"), JSON.stringify(hooks));
  },
  turn({ toolResults, raw }, plan, earlier) {
    if (toolResults === 0) {
      const path = /(\/[^\s"\\`]*plan\.md)/.exec(raw)?.[1];
      if (!path) return { text: "The request names no plan file." };
      // `create` replaces no file.
      return earlier === undefined
        ? { calls: [{ name: "create", input: { path, file_text: plan } }] }
        : { calls: [{ name: "edit", input: { path, old_str: earlier, new_str: plan } }] };
    }
    if (toolResults > 1) return { text: "Done." };
    const input = { summary: "A plan", actions: ["interactive"], recommendedAction: "interactive" };
    return { calls: [{ name: "exit_plan_mode", input }] };
  },
  reportsApproval: true,
  toDelivered: (text) => text,
  readLongText: readSavedText,
  isAfterDecision: ({ toolResults }) => toolResults >= 2,
  start: (bench) => plan(bench),
};

async function plan(bench: Bench): Promise<string> {
  const terminal = openTerminal(bench, `'${program("copilot")}' --plan -i 'Make a plan.'`);
  let ended = false;
  const end = terminal.turnEnded.finally(() => {
    ended = true;
  });
  // Confirms the menu that it shows after the hook has allowed the plan.
  while (!ended && !terminal.screen().includes("Accept plan")) await delay(50);
  await terminal.press("\r", () => ended);
  return end;
}
