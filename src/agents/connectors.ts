import { AppError } from "../errors.ts";
import { claudeCodeConnector } from "./claude-code/proxy.ts";
import { codexConnector } from "./codex/proxy.ts";
import type { Connector } from "./connector.ts";
import { geminiCliConnector } from "./gemini-cli/proxy.ts";
import { openCodeConnector } from "./opencode/proxy.ts";
import { piConnector } from "./pi/proxy.ts";
import { qwenConnector } from "./qwen-code/proxy.ts";
import { agents } from "./registry.ts";
import { byVariables } from "./variables-only.ts";

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
