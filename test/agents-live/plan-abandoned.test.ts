import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Bench, run, sallyport } from "./support/bench.ts";
import { codexDriver, trustHook } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { kiloByLauncher } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { commandOf, program, versionOf } from "./support/programs.ts";
import { holds, rehearse } from "./support/rehearsal.ts";
import { decide } from "./support/reviewer.ts";
import { openTerminal, type Terminal } from "./support/terminal.ts";

/**
 * Ways to interrupt an agent in its terminal that leave its hook running. The page must then not show a decision as
 * delivered.
 */
const FEEDBACK = "Größer 🚀, not <smaller>.";

interface InTerminal {
  readonly driver: Driver;
  readonly terminal: () => Terminal;
}

/** The same agent, started by a shell in a separate terminal. */
function inTerminal(base: Driver, line: string, more: Partial<Driver> = {}): InTerminal {
  let opened: Terminal | undefined;
  const driver: Driver = {
    ...base,
    variables: (modelUrl) => ({
      ...base.variables(modelUrl),
      ...more.variables?.(modelUrl),
      TERM: "xterm-256color",
    }),
    async start(bench) {
      await more.prepare?.(bench, "");
      opened = openTerminal(bench, line, { keepsShell: true });
      void begin(opened);
      return opened.turnEnded;
    },
  };
  const begin = async (terminal: Terminal) => {
    if (base.agent !== "codex") return;
    // Shift-Tab selects plan mode.
    while (!terminal.screen().includes("for shortcuts")) await delay(100);
    await terminal.press("\u001b[Z", () => terminal.screen().includes("Plan mode"));
    await terminal.press("Make a plan.", () => terminal.screen().includes("Make a plan."));
    // Enter that follows typed text at once counts as pasted with it.
    await terminal.press("\r", () => terminal.screen().includes("to interrupt"));
  };
  return {
    driver,
    terminal: () => {
      if (!opened) throw new Error("the terminal is not open yet");
      return opened;
    },
  };
}

const gemini = (variables: Record<string, string> = {}) =>
  inTerminal(
    geminiCliDriver,
    `'${program("gemini-cli")}' -i 'Make a plan.' --approval-mode plan -m gemini-2.5-pro`,
    { variables: () => variables },
  );
const copilot = () => inTerminal(copilotDriver, `'${program("copilot")}' --plan -i 'Make a plan.'`);
const codex = () => inTerminal(codexDriver, `'${program("codex")}'`, { prepare: trustHook });
const qwen = () =>
  inTerminal(
    qwenCodeDriver("qwen-code"),
    `${commandOf("qwen-code")
      .map((word) => `'${word}'`)
      .join(" ")} -i 'Make a plan.' --approval-mode plan`,
  );

/** Returns the text of all transcripts in the agent's home. */
async function transcripts({ home }: Bench): Promise<string> {
  const names = await readdir(home, { recursive: true });
  const paths = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(home, name));
  return (await Promise.all(paths.map((path) => readFile(path, "utf8")))).join("\n");
}

/**
 * Opens the page's events. Resolves to the event that the page receives: the agent may not read the decision, or the
 * review has ended.
 */
async function followSigns({ reviewUrl }: Bench): Promise<{ readonly first: Promise<string> }> {
  const response = await fetch(`${reviewUrl}/api/events`);
  const read = async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const found = /event: (?:caller-doubtful|closing)\ndata: (.*)/.exec(text)?.[1];
      if (found) return found;
    }
    return "cut off";
  };
  // An agent that kills its hook breaks the connection.
  return { first: read().catch(() => "cut off") };
}

/** Returns the title that `scripts/check-agents.mjs` finds. */
const called = (name: string) => `${name} ${versionOf(name)}`;

describe("abandoned hooks", () => {
  it.each([
    [called("gemini-cli"), gemini, "\u001b", "Request cancelled"],
    [called("copilot"), copilot, "\u0003", '"type":"abort"'],
  ] as const)(
    "%s: a decision after the person interrupted it is not shown as delivered",
    async (_name, load, key, shown) => {
      const { driver, terminal } = load();
      await rehearse(driver, async ({ bench, requests }) => {
        terminal().type(key);
        await expect.poll(() => transcripts(bench)).toContain(shown);
        const response = await decide(bench.reviewUrl, "deny", { feedback: FEEDBACK });
        expect(response).toMatchObject({ ok: true, doubt: "went-on" });
        const last = await run(bench, [...sallyport, "review", "last"]);
        expect(last.stdout).toContain(FEEDBACK);
        expect(holds(requests, FEEDBACK)).toBe(false);
      });
    },
  );

  it.each([
    [called("codex"), codex],
    [called("gemini-cli"), gemini],
    [called("copilot"), copilot],
    [called("qwen-code"), qwen],
  ] as const)("%s: the page learns that its terminal was closed", async (_name, load) => {
    const { driver, terminal } = load();
    await rehearse(driver, async ({ bench }) => {
      const signs = await followSigns(bench);
      terminal().close();
      expect(await signs.first).toMatch(/terminal-gone|launcher-gone|caller-gone|signal|cut off/);
    });
  });

  it.each([
    [called("codex"), codex],
    [called("gemini-cli"), () => gemini({ GEMINI_CLI_NO_RELAUNCH: "" })],
    [called("copilot"), copilot],
    [called("qwen-code"), qwen],
    [called("kilo"), () => ({ driver: kiloByLauncher })],
  ] as const)("%s: the page learns that its launcher was killed", async (_name, load) => {
    const { driver } = load();
    await rehearse(driver, async ({ bench }) => {
      const signs = await followSigns(bench);
      bench.stop();
      expect(await signs.first).toMatch(/launcher-gone|caller-gone|signal|cut off/);
    });
  });
});
