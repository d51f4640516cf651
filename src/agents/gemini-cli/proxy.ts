import { join } from "node:path";
import type { FileEdit } from "../file-edits/file-edit.ts";
import { jsonMembers } from "../file-edits/json-members.ts";
import { blockAtEnd, withoutBlocks } from "../file-edits/own-block.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { geminiFolder } from "./install.ts";

/**
 * Connects Gemini CLI, tested with 0.61.0. Gemini CLI reads the address only from the environment, which includes
 * `.gemini/.env`, not from its settings. Unless a login type is selected, Gemini CLI interprets the address as another
 * kind of login and exits.
 */
export const connector: ProxyConnector = {
  edits: (target, connection) => [
    variablesIn(join(geminiFolder(target), ".env"), connection),
    jsonMembers(join(geminiFolder(target), "settings.json"), "log in by key", [
      [["security", "auth", "selectedType"], "gemini-api-key"],
    ]),
  ],
  variables,
  dialects: ["generative-language"],
  sendsKeyBesideLogin: false,
  needsModels: false,
  notes: () => [
    "A project's .env replaces the one in ~/.gemini. Variables set in the shell take precedence over both.",
  ],
};

function variables({ url, key }: Connection): Record<string, string> {
  return { GOOGLE_GEMINI_BASE_URL: url, ...(key === undefined ? {} : { GEMINI_API_KEY: key }) };
}

function variablesIn(path: string, connection: Connection): FileEdit {
  const lines = Object.entries(variables(connection)).map(([name, value]) => `${name}=${value}`);
  return {
    path,
    purpose: "model calls through the proxy",
    install: (text = "") => blockAtEnd(withoutBlocks(text), lines),
    uninstall(text) {
      if (text === undefined) return undefined;
      const left = withoutBlocks(text);
      return left === "" && left !== text ? undefined : left;
    },
  };
}
