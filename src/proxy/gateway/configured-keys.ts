import type { ProxyConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { VirtualKey } from "./key-schemas.ts";
import type { KeyStore } from "./key-store.ts";

/** Returns the keys of the configuration as the API and the command line show them. */
export function configuredKeys({ keys }: KeyConfig): VirtualKey[] {
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

type KeyConfig = Pick<ProxyConfig, "keys">;

/**
 * Returns the key with an id or name: that of the database or, if there is none, that of the configuration. Throws
 * `not_found`.
 */
export function findKey(
  store: Pick<KeyStore, "find">,
  idOrName: string,
  readConfig: () => KeyConfig | Promise<KeyConfig>,
): Promise<VirtualKey> {
  return store.find(idOrName).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    const configured = configuredKeys(await readConfig());
    const key = configured.find(({ id, name }) => id === idOrName || name === idOrName);
    if (key === undefined) throw error;
    return key;
  });
}

/** Throws as `findKey` does, and `conflict` for a key that only the configuration file can change. */
export async function expectChangeable(...args: Parameters<typeof findKey>): Promise<void> {
  const { name, source } = await findKey(...args);
  if (source === "config")
    throw new AppError("conflict", `The key ${name} is in the configuration file`, {
      hint: "Change it there, in proxy.api_keys.",
    });
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
