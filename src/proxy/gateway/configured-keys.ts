import type { ProxyConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
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

/** Throws `conflict` if keys of the configuration belong to the team, because they would lose its limits. */
export function expectNoConfiguredKeys(
  team: string,
  keys: readonly { readonly name: string; readonly team?: string | undefined }[],
): void {
  const names = keys.filter((key) => key.team === team).map(({ name }) => name);
  if (names.length === 0) return;
  throw new AppError(
    "conflict",
    `Cannot delete the team ${team}: it has the keys ${names.join(", ")} of the configuration file`,
    { hint: "Remove `team` from these keys in proxy.api_keys." },
  );
}
