import { AppError } from "../../errors.ts";
import { agents } from "../agents.ts";
import { byVariables } from "./by-variables.ts";
import { claudeCodeConnector } from "./claude-code.ts";
import { codexConnector } from "./codex.ts";
import type { Connector } from "./connector.ts";
import { geminiCliConnector } from "./gemini-cli.ts";
import { openCodeConnector } from "./opencode.ts";
import { piConnector } from "./pi.ts";
import { qwenConnector } from "./qwen-code.ts";

/** Every client that `proxy connect` knows. */
export const connectors: readonly Connector[] = [
  claudeCodeConnector,
  openCodeConnector,
  codexConnector,
  geminiCliConnector,
  qwenConnector,
  piConnector,
  ...byVariables,
];

/** By its id, or as an agent's program is called: "claude". Throws `usage` for a name that is neither. */
export function connectorNamed(name: string): Connector {
  const wanted = agents.find(({ program }) => program === name)?.id ?? name;
  const connector = connectors.find(({ id }) => id === wanted);
  if (connector) return connector;
  throw new AppError("usage", `There is no client called ${name}`, {
    hint: `Known are ${connectors.map((known) => known.id).join(", ")}.`,
  });
}
