import { createHash } from "node:crypto";
import type { Environment } from "../paths.ts";
import type { ProxyKey } from "./config.ts";
import { getLimitSubjects, type KeyAccessSettings } from "./limits.ts";
import type { Found, Refuse } from "./resolve.ts";
import type { ProxySettings } from "./schema.ts";
import { environmentValue } from "./upstreams.ts";

/** Returns the SHA-256 of a key's text. */
export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A key, with its text if the text is known. */
export interface KnownKey extends ProxyKey {
  readonly text?: string;
}

/** Returns the configured keys, and the key that the proxy created. */
export function resolveKeys(
  settings: ProxySettings,
  environment: Environment,
  { generatedKey }: Found,
  refuse: Refuse,
): readonly KnownKey[] {
  const configured = settings.api_keys.map((key, index): KnownKey => {
    const access = typeof key === "object" ? toKeyAccess(key) : {};
    if (typeof key === "object" && "sha256" in key)
      return { name: key.name, sha256: Buffer.from(key.sha256, "hex"), ...access };
    const path = ["api_keys", index];
    const text = typeof key === "string" ? key : environmentValue(environment, key.key_env);
    if (typeof key === "object" && text === "")
      return refuse(path, `the environment variable ${key.key_env} is not set`);
    if (text.length < 16) return refuse(path, "is too short: a key has at least 16 characters");
    const name = typeof key === "string" ? `key ${index + 1}` : key.name;
    return { name, sha256: sha256(text), text, ...access };
  });
  if (!generatedKey) return configured;
  return [...configured, { name: "generated", sha256: sha256(generatedKey), text: generatedKey }];
}

/** Returns the permissions and limits of a configured key. */
function toKeyAccess(access: KeyAccessSettings): Partial<ProxyKey> {
  const { name, team, tags, models, mcp, limits, capture } = access;
  const id = `config:${name}`;
  return { id, team, tags, models, mcp, limits, capture, subjects: getLimitSubjects({ id, name, limits }) };
}
