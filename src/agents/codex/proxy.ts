import { join } from "node:path";
import { AppError } from "../../errors.ts";
import type { FileEdit } from "../file-edits/file-edit.ts";
import { blockAtEnd, blockAtStart, withoutBlocks } from "../file-edits/own-block.ts";
import { tomlLines } from "../file-edits/toml-keys.ts";
import type { Connection, ProxyConnector } from "../proxy-connector.ts";
import { codexFolder } from "./install.ts";

/**
 * Connects Codex CLI through a separate provider in config.toml, which uses the responses dialect; tested with
 * 0.171.0.
 */
export const connector: ProxyConnector = {
  edits: (target, connection) => [providerIn(join(codexFolder(target), "config.toml"), connection)],
  variables: () => ({}),
  launch: ({ url, key }) => ({
    // Values of -c are TOML, in which JSON strings are valid.
    args: [
      ...["-c", 'model_provider="sallyport"'],
      "-c",
      `${PROVIDER}={name="Sallyport",base_url=${JSON.stringify(`${url}/v1`)},wire_api="responses",env_key="${key === undefined ? "OPENAI_API_KEY" : KEY_VARIABLE}"}`,
    ],
    variables: Object.fromEntries(key === undefined ? [] : [[KEY_VARIABLE, key]]),
  }),
  dialects: ["responses"],
  sendsKeyBesideLogin: false,
  needsModels: false,
  notes: ({ key }) => (key === undefined ? ["Codex reads the vendor's key from OPENAI_API_KEY."] : []),
};

/** The environment variable with the proxy's key when `sallyport run` starts Codex. */
const KEY_VARIABLE = "SALLYPORT_KEY";
const PROVIDER = "model_providers.sallyport";
/** The prefix of a line that is commented out because Sallyport's line replaces it. Uninstalling removes the prefix. */
const DISABLED = "# sallyport set this aside: ";

function providerIn(path: string, { url, key }: Connection): FileEdit {
  return {
    path,
    purpose: "model calls through the proxy",
    install(text = "") {
      const clean = withoutOurs(text);
      refuseInline(clean);
      if (tomlLines(clean).some(({ table }) => table === PROVIDER)) {
        throw new AppError("configuration", `The file already has a provider [${PROVIDER}]`, {
          hint: "Rename or remove it, then run the command again. No changes made.",
        });
      }
      const provider = [
        `[${PROVIDER}]`,
        'name = "Sallyport"',
        `base_url = ${JSON.stringify(`${url}/v1`)}`,
        'wire_api = "responses"',
        key === undefined
          ? 'env_key = "OPENAI_API_KEY"'
          : `experimental_bearer_token = ${JSON.stringify(key)}`,
      ];
      return blockAtEnd(blockAtStart(disabled(clean), ['model_provider = "sallyport"']), provider);
    },
    uninstall(text) {
      if (text === undefined) return undefined;
      const left = withoutOurs(text);
      return left === "" && left !== text ? undefined : left;
    },
  };
}

/**
 * Throws `configuration` if `model_providers` is an inline table: TOML forbids adding to it, and Codex would reject
 * the file.
 */
function refuseInline(text: string): void {
  if (!tomlLines(text).some(({ topLevelKey }) => topLevelKey === "model_providers")) return;
  throw new AppError(
    "configuration",
    "The file defines model_providers on one line, which cannot be extended",
    {
      hint: "Write each provider as a table, [model_providers.NAME], then run the command again. No changes made.",
    },
  );
}

function disabled(text: string): string {
  return tomlLines(text)
    .map((line) => (line.topLevelKey === "model_provider" ? DISABLED + line.text : line.text))
    .join("");
}

function withoutOurs(text: string): string {
  return withoutBlocks(text).replaceAll(DISABLED, "");
}
