import { join } from "node:path";
import type { InstallTarget } from "../agent.ts";
import { jsonMembers } from "../file-edits/json-members.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { type OpenCodeProgram, programFolder } from "./programs.ts";

/** Returns the provider in the form of the settings file. */
function provider({ url, key, models }: Connection) {
  return {
    npm: "@ai-sdk/openai-compatible",
    name: "Sallyport",
    options: { baseURL: `${url}/v1`, apiKey: key ?? "{env:OPENAI_API_KEY}" },
    models: Object.fromEntries(models.map((model) => [model, { name: model }])),
  };
}

/**
 * Returns the connector of OpenCode or a program derived from it: a separate provider in its settings, beside the
 * person's. Tested with OpenCode 1.18.33 and Kilo 7.7.7.
 */
export function connectorFor(program: OpenCodeProgram): ProxyConnector {
  const settingsFile = (target: InstallTarget) =>
    join(target.project ?? programFolder(program, target), `${program.id}.json`);
  return {
    edits: (target, connection) => [
      jsonMembers(settingsFile(target), "the provider sallyport", [
        [["provider", "sallyport"], provider(connection)],
      ]),
    ],
    launch: (connection) => ({
      args: [],
      variables: {
        [program.settingsVariable]: JSON.stringify({ provider: { sallyport: provider(connection) } }),
      },
    }),
    variables: () => ({}),
    dialects: ["chat-completions"],
    sendsKeyBesideLogin: false,
    needsModels: true,
    notes: () => [
      "Choose a model of the provider Sallyport with /models. Run this command again when the proxy's models change.",
    ],
  };
}
