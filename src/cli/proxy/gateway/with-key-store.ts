import type { Environment } from "../../../config/paths.ts";
import type { ProxyFlags } from "../../../config/proxy/settings.ts";
import { AppError } from "../../../errors.ts";
import { createKeyStore, type KeyStore } from "../../../proxy/gateway/key-store.ts";
import { setRequiresKeys } from "../start/requires-keys.ts";
import { withDatabase } from "./with-database.ts";

/** The author of changes made on the command line, as the audit log lists it. */
export const COMMAND_LINE = { name: "command line", address: null };

/**
 * Opens the key store of the proxy's database for one task. Throws `usage` if `proxy.database` is "none", and if the
 * store throws `not_found` or `conflict`.
 */
export async function withKeyStore<Result>(
  environment: Environment,
  flags: ProxyFlags,
  task: (store: KeyStore) => Promise<Result>,
): Promise<Result> {
  return withDatabase(environment, flags, KEYS, async (db, data) => {
    try {
      const store = createKeyStore(db);
      const result = await task(store);
      // If keys are now required, the next start opens the database before it accepts calls.
      const { requiresKeys } = await store.snapshot();
      await setRequiresKeys(data, requiresKeys).catch(() => {});
      return result;
    } catch (error) {
      throw asUsage(error);
    }
  });
}

const KEYS = { content: "keys", hint: () => 'Set proxy.database to "sqlite" or a postgres URL.' };

/** Converts `not_found` and `conflict` to `usage` (exit code 2). Returns any other error unchanged. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof AppError) || (error.code !== "not_found" && error.code !== "conflict")) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new AppError("usage", error.message, { cause: error, ...hint });
}
