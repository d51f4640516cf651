import type { ProxyConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { VirtualKey } from "./key-schemas.ts";
import type { KeyStore } from "./key-store.ts";

/** The beginning of the ids of all keys of the configuration. */
const CONFIGURED = "config:";

/** Returns the keys of the configuration as the API and the command line show them. */
export function configuredKeys({ keys }: KeyConfig): VirtualKey[] {
  return keys.map((key) => ({
    id: key.id ?? `${CONFIGURED}${key.name}`,
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
 * Returns the key with an id or name. A key of the configuration is found by its id without the database, and by its
 * name if no key of the database has this name. Throws `not_found`, and the error of `open` or of the store.
 */
export async function findKey(
  open: () => Promise<Pick<KeyStore, "find">>,
  idOrName: string,
  readConfig: () => KeyConfig | Promise<KeyConfig>,
): Promise<VirtualKey> {
  const findConfigured = async (member: "id" | "name") =>
    configuredKeys(await readConfig()).find((key) => key[member] === idOrName);
  const configured = idOrName.startsWith(CONFIGURED) ? await findConfigured("id") : undefined;
  if (configured !== undefined) return configured;
  try {
    return await (await open()).find(idOrName);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    const named = await findConfigured("name");
    if (named === undefined) throw error;
    return named;
  }
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
