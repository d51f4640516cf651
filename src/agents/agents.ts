import { AppError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode } from "./opencode/opencode.ts";
import { qwenCode } from "./qwen-code.ts";

/** Every agent whose plans can be reviewed, as `install --list` shows them. */
export const agents: readonly Agent[] = [claudeCode, openCode, codex, geminiCli, qwenCode, copilotCli];

/** Throws `usage` for an id that is not in the list. */
export function agentNamed(id: string): Agent {
  const agent = agents.find((candidate) => candidate.id === id);
  if (agent) return agent;
  throw new AppError("usage", `There is no agent called ${id}`, {
    hint: `Known are ${agents.map((known) => known.id).join(", ")}; see sallyport install --list.`,
  });
}
