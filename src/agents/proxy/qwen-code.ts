import { join } from "node:path";
import { jsonMembers } from "../edits/json-members.ts";
import { qwenFolder } from "../qwen-code.ts";
import type { Connection, Connector } from "./connector.ts";

/** The package's docs/configuration/auth.md; as Qwen Code 0.15.10 and 0.24.4 obey it. */
export const qwenConnector: Connector = {
  id: "qwen",
  name: "Qwen Code",
  edits: (place, connection) => [
    jsonMembers(join(qwenFolder(place), "settings.json"), "model calls through the proxy", [
      ...Object.entries(variables(connection)).map(([name, value]) => [["env", name], value] as const),
      [["security", "auth", "selectedType"], "openai"],
    ]),
  ],
  variables,
  needsModels: false,
  notes: [
    "Models that you have listed under modelProviders keep their own address; choose others with -m or /model.",
    "Variables set in the shell win over these.",
  ],
};

function variables({ url, key }: Connection): Record<string, string> {
  return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
}
