import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { VirtualKey } from "./key-schemas.ts";

/** Returns the keys of the configuration as the API and the command line show them. */
export function configuredKeys({ keys }: Pick<ProxyConfig, "keys">): VirtualKey[] {
  return keys.map((key) => ({
    id: key.id ?? `config:${key.name}`,
    name: key.name,
    team: key.team ?? null,
    // The file does not contain their creation times.
    created_at: new Date(0).toISOString(),
    expires_at: null,
    revoked_at: null,
    models: key.models ?? null,
    mcp: key.mcp ?? null,
    tags: key.tags ?? {},
    role: "user",
    limits: (key.limits ?? {}) as VirtualKey["limits"],
    capture: key.capture ?? null,
    source: "config",
  }));
}
