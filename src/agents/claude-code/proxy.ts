import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { claudeFolder } from "./install.ts";

/**
 * Connects Claude Code with the variables of https://code.claude.com/docs/en/llm-gateway, tested with 2.1.197
 * and 2.1.332. ANTHROPIC_AUTH_TOKEN replaces the person's login, including that of a subscription. The
 * variable is omitted if an upstream needs that login; the proxy's key is then sent in a separate header.
 */
export const connector: ProxyConnector = {
  edits: (target, connection) => [
    jsonMembers(
      join(claudeFolder(target), "settings.json"),
      "model calls through the proxy",
      VARIABLES.map((name) => [["env", name], variables(connection)[name]] as const),
    ),
  ],
  variables,
  dialects: ["messages"],
  sendsKeyBesideLogin: true,
  needsModels: false,
  notes: ({ ownLogin }) => [
    ownLogin
      ? "Claude Code keeps its own login, a subscription or an API key; the proxy passes it on to the upstream."
      : "Claude Code sends the proxy's key instead of your login until you disconnect it.",
  ],
};

const VARIABLES = ["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"] as const;

function variables({ url, key, ownLogin }: Connection): Record<string, string> {
  if (key === undefined) return { ANTHROPIC_BASE_URL: url };
  return ownLogin
    ? { ANTHROPIC_BASE_URL: url, ANTHROPIC_CUSTOM_HEADERS: `x-gen-api-key: ${key}` }
    : { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key };
}
