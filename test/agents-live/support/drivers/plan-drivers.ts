import { claudeCodeDriver } from "./claude-code.ts";
import { codexDriver } from "./codex.ts";
import { copilotDriver } from "./copilot-cli.ts";
import type { Driver } from "./driver.ts";
import { geminiCliDriver } from "./gemini-cli.ts";
import { kiloDriver, openCodeDriver } from "./opencode.ts";
import { qwenCodeDriver } from "./qwen-code.ts";

/** The agents whose hook or plugin presents a plan and waits for the decision, also in a live review. */
export const livePlanDrivers: readonly Driver[] = [
  claudeCodeDriver("claude-code"),
  claudeCodeDriver("claude-code-earlier"),
  openCodeDriver,
  kiloDriver,
  geminiCliDriver,
  codexDriver,
  copilotDriver,
];

/** The agents whose hook or plugin presents a plan and waits for the decision. */
export const planDrivers: readonly Driver[] = [
  ...livePlanDrivers,
  qwenCodeDriver("qwen-code"),
  qwenCodeDriver("qwen-code-earlier"),
];
