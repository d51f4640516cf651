import { AppError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./claude-code/install.ts";
import { codex } from "./codex/install.ts";
import { copilotCli } from "./copilot-cli/install.ts";
import { geminiCli } from "./gemini-cli/install.ts";
import { openCode } from "./opencode/install.ts";
import { qwenCode } from "./qwen-code/install.ts";

/** Every agent whose plans can be reviewed, as `install --list` shows them. */
export const agents: readonly Agent[] = [claudeCode, openCode, codex, geminiCli, qwenCode, copilotCli];

/** By its id, or as its program is called: "claude". Throws `usage` for a name that is neither. */
export function agentNamed(name: string): Agent {
  const agent = agents.find(({ id, program }) => id === name || program === name);
  if (agent) return agent;
  throw new AppError("usage", `There is no agent called ${name}`, {
    hint: `Known are ${agents.map((known) => known.id).join(", ")}; see sallyport install --list.`,
  });
}
