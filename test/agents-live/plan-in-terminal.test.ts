import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { program, versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide, waitForExit } from "./support/reviewer.ts";
import { markTurnEnded, openTerminal, type Terminal } from "./support/terminal.ts";

/**
 * Claude Code in a terminal: its dialog and the review page are open at the same time, and the first decision counts.
 */
describe.each(["claude-code", "claude-code-earlier"])("%s", (name) => {
  const called = (what: string) => `${name} ${versionOf(name)}, in its terminal: ${what}`;

  it(called("a denial on the page closes the dialog and reaches the model"), async () => {
    const { driver, terminal } = inTerminal(name);
    await rehearse(driver, async ({ bench, seen, requestsAfter, ended }) => {
      expect(seen.plan).toBe(PLAN);
      await decide(bench.reviewUrl, "deny", { feedback: "Größer 🚀, not <smaller>." });
      await ended;
      expect(holds(requestsAfter, "Größer 🚀, not <smaller>.")).toBe(true);
      expect(terminal().screen()).toContain("PermissionRequest");
    });
  });

  it(called("an answer in the dialog closes the page"), async () => {
    const { driver, terminal } = inTerminal(name);
    await rehearse(driver, async ({ bench }) => {
      const events = (await fetch(`${bench.reviewUrl}/api/events`)).text();
      let hasExited = false;
      const exit = waitForExit(bench.reviewUrl).then(() => {
        hasExited = true;
      });
      await terminal().press("\u001b", () => hasExited);
      await exit;
      expect(await events).toContain('event: closing\ndata: {"reason":"signal"}');
    });
  });
});

function inTerminal(name: string): { driver: Driver; terminal: () => Terminal } {
  let opened: Terminal | undefined;
  const base = claudeCodeDriver(name);
  const driver: Driver = {
    ...base,
    variables: (modelUrl) => ({ ...base.variables(modelUrl), TERM: "xterm-256color" }),
    async prepare({ home, repository }) {
      const stop = [{ hooks: [{ type: "command", command: markTurnEnded(home) }] }];
      await mkdir(join(home, ".claude"));
      await writeFile(join(home, ".claude/settings.json"), JSON.stringify({ hooks: { Stop: stop } }));
      // The prompts of the program's first start.
      const state = {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["test-key"], rejected: [] },
        projects: { [repository]: { hasTrustDialogAccepted: true } },
      };
      await writeFile(join(home, ".claude.json"), JSON.stringify(state));
    },
    start(bench) {
      opened = openTerminal(bench, `'${program(name)}' --permission-mode plan 'Make a plan.'`);
      return opened.turnEnded;
    },
  };
  return {
    driver,
    terminal: () => {
      if (!opened) throw new Error("the terminal is not open yet");
      return opened;
    },
  };
}
