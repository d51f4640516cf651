import { join } from "node:path";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { qwenFolder } from "./install.ts";

/** Connects Qwen Code (the package's docs/configuration/auth.md); tested with 0.15.10 and 0.24.4. */
export const connector: ProxyConnector = {
  edits: (target, connection) => [
    jsonMembers(join(qwenFolder(target), "settings.json"), "model calls through the proxy", [
      ...VARIABLES.map((name) => [["env", name], variables(connection)[name]] as const),
      [["security", "auth", "selectedType"], "openai"],
    ]),
  ],
  variables,
  dialects: ["chat-completions"],
  sendsKeyBesideLogin: false,
  needsModels: false,
  notes: () => [
    "Models that you have listed under modelProviders keep their own address; choose others with -m or /model.",
    "Variables set in the shell take precedence over these.",
  ],
};

const VARIABLES = ["OPENAI_BASE_URL", "OPENAI_API_KEY"] as const;

function variables({ url, key }: Connection): Record<string, string> {
  return { OPENAI_BASE_URL: `${url}/v1`, ...(key === undefined ? {} : { OPENAI_API_KEY: key }) };
}
