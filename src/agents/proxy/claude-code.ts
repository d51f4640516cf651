import { join } from "node:path";
import { claudeFolder } from "../claude-code.ts";
import { jsonMembers } from "../edits/json-members.ts";
import type { Connection, Connector } from "./connector.ts";

/** https://code.claude.com/docs/en/llm-gateway; as Claude Code 2.1.197 and 2.1.329 obey it. */
export const claudeCodeConnector: Connector = {
  id: "claude-code",
  name: "Claude Code",
  edits: (place, connection) => [
    jsonMembers(
      join(claudeFolder(place), "settings.json"),
      "model calls through the proxy",
      Object.entries(variables(connection)).map(([name, value]) => [["env", name], value] as const),
    ),
  ],
  variables,
  needsModels: false,
  notes: ["Claude Code uses the proxy instead of your login until you disconnect it."],
};

function variables({ url, key }: Connection): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key };
}
