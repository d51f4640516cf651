import { AppError } from "../../errors.ts";
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

/** Throws `usage` for an id that is not in the list. */
export function connectorNamed(id: string): Connector {
  const connector = connectors.find((candidate) => candidate.id === id);
  if (connector) return connector;
  throw new AppError("usage", `There is no client called ${id}`, {
    hint: `Known are ${connectors.map((known) => known.id).join(", ")}.`,
  });
}
