import { parse, YAMLParseError } from "yaml";
import { AppError, getErrorMessage } from "../../errors.ts";
import { parseConfiguration } from "../load.ts";
import { plainIssue } from "../plain-issue.ts";
import { proxySchema } from "../proxy/schema.ts";
import { importClaudeCodeRouter } from "./claude-code-router.ts";
import type { Imported } from "./imported.ts";
import { importLitellm } from "./litellm.ts";

/** A converted configuration file, and the program to which it belonged. */
export interface ImportedConfiguration extends Imported {
  readonly program: "LiteLLM" | "claude-code-router";
}

/**
 * Converts the configuration file of another proxy into one for this proxy. Recognizes the program by the members of
 * the file. LiteLLM's addresses and platform settings can name variables, whose values are taken from `environment`.
 * Throws `configuration` if the file is invalid, belongs to neither program, or cannot be converted.
 */
export function importConfiguration(
  text: string,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): ImportedConfiguration {
  const value = /^\s*(?:\/[/*]|\{)/.test(text) ? parseConfiguration(text, file).value : parseYaml(text, file);
  const imported = convert(value, file, environment);
  const result = proxySchema.safeParse(imported.proxy, { error: plainIssue });
  if (result.success) return imported;
  const issues = result.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
  throw new AppError("configuration", `${file} cannot be converted: ${issues.join("; ")}`, {
    hint: "The paths are those of the proxy's own configuration. Change the corresponding values in the imported file.",
  });
}

function convert(
  value: unknown,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): ImportedConfiguration {
  const members = new Set(Object.keys(Object(value)));
  if (members.has("model_list")) return { program: "LiteLLM", ...importLitellm(value, file, environment) };
  if (members.has("Providers"))
    return { program: "claude-code-router", ...importClaudeCodeRouter(value, file) };
  throw new AppError("configuration", `${file} has neither model_list nor Providers`, {
    hint: "Pass the config.yaml of LiteLLM or the config.json of claude-code-router.",
  });
}

/** Parses YAML as LiteLLM does: version 1.1, where the last of several equal keys applies. */
function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ""), { version: "1.1", uniqueKeys: false, logLevel: "error" });
  } catch (error) {
    const line = error instanceof YAMLParseError ? `:${error.linePos?.[0].line ?? 1}` : "";
    // An alias that expands to too much data throws a ReferenceError.
    const [reason] = getErrorMessage(error).split("\n");
    throw new AppError("configuration", `${file}${line}: not valid YAML: ${reason}`, { cause: error });
  }
}
