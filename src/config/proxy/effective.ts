import type { Environment } from "../paths.ts";
import { isSecretHeader, withoutUrlSecrets } from "./secrets.ts";
import type { LoadedSettings } from "./settings.ts";

/** One setting in force: its key below `proxy`, its value, and the value's source. */
export interface EffectiveSetting {
  readonly key: string;
  readonly value: unknown;
  /** `default`, `file:LINE`, `environment NAME` or `flag --name`. */
  readonly source: string;
}

const SECRET_KEY = /^(?:redis|api_key|api_keys|client_secret|key|token|secret|password|command)$/;

/** Variables that take precedence over a setting of the file. */
const OVERRIDES = { database: "SERVICE_PROXY_DATABASE", redis: "SERVICE_PROXY_REDIS" } as const;

/**
 * Returns every setting in force, in the order of the schema, with secrets redacted. Variables that replace a setting
 * without a value come last.
 */
export function effectiveSettings(
  { settings, getSource }: LoadedSettings,
  environment: Environment = {},
): readonly EffectiveSetting[] {
  const found: EffectiveSetting[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]) => {
    const members = listMembers(value);
    if (members !== undefined && members.length > 0) {
      for (const [name, member] of members) visit(member, [...path, name]);
      return;
    }
    if (value === undefined) return;
    found.push({
      key: path.map(String).join("."),
      value: isSecret(path) && !isEmpty(value) ? "[redacted]" : withoutSecrets(value),
      source: getSource(path),
    });
  };
  visit(settings, []);
  for (const [key, variable] of Object.entries(OVERRIDES)) {
    const value = environment[variable];
    if (!value) continue;
    const own = {
      key,
      value: isSecret([key]) ? "[redacted]" : withoutSecrets(value),
      source: `environment ${variable}`,
    };
    // Several settings in the list can be members of one secret's source. The variable replaces all of them.
    const isReplaced = (each: EffectiveSetting) => each.key === key || each.key.startsWith(`${key}.`);
    const at = found.findIndex(isReplaced);
    found.splice(at < 0 ? found.length : at, found.filter(isReplaced).length, own);
  }
  return found;
}

function withoutSecrets(value: unknown): unknown {
  return typeof value === "string" ? withoutUrlSecrets(value) : value;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function listMembers(value: unknown): [string | number, unknown][] | undefined {
  if (Array.isArray(value)) return value.map((member, index) => [index, member]);
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}

/** Returns whether a setting is secret, such as a key, an entry of a list of keys, or a header with credentials. */
function isSecret(path: readonly PropertyKey[]): boolean {
  const [last = "", before = ""] = path.toReversed().map(String);
  // `proxy.tls.key` is the path of a file, or the source of a secret.
  if (before === "tls") return false;
  if (path[0] === "mcp" && (path[2] === "env" || path.includes("client_secret"))) return true;
  if (path[0] === "mcp" && last === "command") return false;
  if (before === "headers" || before === "relay_headers") return isSecretHeader(last);
  return SECRET_KEY.test(last) || (/^\d+$/.test(last) && SECRET_KEY.test(before));
}
