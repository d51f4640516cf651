import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { kiloDriver, openCodeDriver } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide, openPlan, waitForExit } from "./support/reviewer.ts";

/** Tests what each agent supports besides approval and denial, and what happens when it ends. */
describe.each(["claude-code", "claude-code-earlier"])("%s", (name) => {
  const driver = claudeCodeDriver(name);
  const called = (what: string) => `${name} ${versionOf(name)}: ${what}`;

  it(called("goes on in the permission mode that the person chose"), () =>
    rehearse(driver, async ({ bench, seen, ended }) => {
      expect(seen).toMatchObject({ origin: "origin_a", permissionMode: "plan" });
      await decide(bench.reviewUrl, "approve", { permissionMode: "acceptEdits" });
      expect(await ended).toContain('"permissionMode":"acceptEdits"');
    }),
  );

  it(called("is not put back into plan mode by an approval without a mode"), () =>
    rehearse(driver, async ({ bench, ended }) => {
      await decide(bench.reviewUrl, "approve", {});
      const modes = [...(await ended).matchAll(/"permissionMode":"(\w+)"/g)].map(([, mode]) => mode);
      expect(modes.at(-1)).not.toBe("plan");
    }),
  );

  it(called("that presents no plan is told so, and can be denied"), () =>
    rehearse(
      driver,
      async ({ bench, seen, requests, ended }) => {
        expect(seen).toMatchObject({ plan: "", missing: expect.stringContaining("without sending a plan") });
        await decide(bench.reviewUrl, "deny", { feedback: "Write it down first." });
        await ended;
        expect(holds(requests, "Write it down first.")).toBe(true);
      },
      ({ toolResults }) =>
        toolResults === 0 ? { calls: [{ name: "ExitPlanMode", input: {} }] } : { text: "Done." },
    ),
  );
});

describe("opencode", () => {
  const called = (what: string) => `opencode ${versionOf("opencode")}: ${what}`;

  it(called("goes on as the agent that the person chose"), () =>
    rehearse(openCodeDriver, async ({ bench, seen, requestsAfter, ended }) => {
      expect(seen.origin).toBe("origin_b");
      const listed = await (await fetch(`${bench.reviewUrl}/api/agents`)).text();
      expect(
        JSON.parse(listed)
          .agents.map(({ id }: { id: string }) => id)
          .sort(),
      ).toEqual(["build", "plan"]);
      await decide(bench.reviewUrl, "approve", { agentSwitch: "build" });
      await ended;
      expect(holds(requestsAfter, "operational mode has changed from plan to build")).toBe(true);
    }),
  );
});

describe("codex", () => {
  const called = (what: string) => `codex ${versionOf("codex")}: ${what}`;
  const REVISED = "# Plan, revised\n\n1. Read.\n";

  it(called("presents the plan that it revised within the same turn"), () =>
    rehearse(
      codexDriver,
      async ({ bench, seen, ended }) => {
        expect(seen.plan).toBe(PLAN);
        await decide(bench.reviewUrl, "deny", { feedback: "Shorter." });
        expect(await openOther(bench.reviewUrl, PLAN)).toBe(REVISED);
        await decide(bench.reviewUrl, "approve", {});
        await ended;
      },
      ({ raw }) => ({
        text: `<proposed_plan>\n${raw.includes("hook_prompt") ? REVISED : PLAN}</proposed_plan>`,
      }),
    ),
  );
});

describe.each(
  [
    claudeCodeDriver("claude-code"),
    claudeCodeDriver("claude-code-earlier"),
    openCodeDriver,
    kiloDriver,
    codexDriver,
    geminiCliDriver,
    qwenCodeDriver("qwen-code"),
    qwenCodeDriver("qwen-code-earlier"),
    copilotDriver,
  ].map((driver) => [driver.program, driver] as const),
)("%s", (name, driver) => {
  it(`${name} ${versionOf(name)}: takes its review with it when it is killed, and the page is told`, () =>
    rehearse(driver, async ({ bench }) => {
      const stream = await fetch(`${bench.reviewUrl}/api/events`);
      const events = stream.text().catch(() => "cut off");
      bench.stop();
      // Codex kills its hooks, so the page detects only the lost connection. In an agent with several processes,
      // another process may send the signal after the first one has ended.
      if (driver.agent === "codex") expect(await events).toBe("cut off");
      else expect(await events).toMatch(/event: closing\ndata: {"reason":"(caller-gone|signal)"}/);
      await waitForExit(bench.reviewUrl);
    }));
});

/** Waits for a review of another plan than this. */
async function openOther(reviewUrl: string, plan: string): Promise<string> {
  for (;;) {
    const seen = await openPlan(reviewUrl);
    if (seen.plan !== plan) return seen.plan;
    await delay(50);
  }
}
