import { describe, expect, it } from "vitest";
import { install } from "./support/bench.ts";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { kiloDriver, openCodeDriver } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide } from "./support/reviewer.ts";

/** Tests `sallyport install --project`: the agent loads the files of the repository. */
const drivers: readonly Driver[] = [
  claudeCodeDriver("claude-code"),
  claudeCodeDriver("claude-code-earlier"),
  openCodeDriver,
  kiloDriver,
  geminiCliDriver,
  codexDriver,
  qwenCodeDriver("qwen-code"),
  qwenCodeDriver("qwen-code-earlier"),
  copilotDriver,
];

const FEEDBACK = "Use stone, not oak.";

describe.each(drivers.map((driver) => [driver.program, driver] as const))("%s", (name, driver) => {
  it(`${name} ${versionOf(name)}: sends its plans with an installation in the project`, async () => {
    const inProject: Driver = { ...driver, install: (bench) => install(bench, driver.agent, "--project") };
    await rehearse(inProject, async ({ bench, seen, requestsAfter, ended }) => {
      expect(seen.plan).toBe(PLAN);
      await decide(bench.reviewUrl, "deny", { feedback: FEEDBACK });
      await ended;
      expect(holds(requestsAfter, FEEDBACK)).toBe(true);
    });
  });
});
