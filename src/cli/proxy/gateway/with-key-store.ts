import { dirname } from "node:path";
import { dataDirectory, type Environment } from "../../../config/paths.ts";
import { databaseLocation } from "../../../config/proxy/database-location.ts";
import { configurationPath, loadProxySettings, type ProxyFlags } from "../../../config/proxy/settings.ts";
import { openDatabase } from "../../../database/open-database.ts";
import { AppError } from "../../../errors.ts";
import { createKeyStore, type KeyStore } from "../../../proxy/gateway/key-store.ts";
import { sqliteWorkerFiles } from "../../worker-files.ts";
import { setRequiresKeys } from "../start/requires-keys.ts";

/** Changes made on the command line appear under this name in the audit log. */
export const COMMAND_LINE = { name: "command line", address: null };

/**
 * Opens the configured database for one task. Throws `usage` where the configuration has none, and for a key or team that
 * does not exist or is taken.
 */
export async function withKeyStore<Result>(
  environment: Environment,
  flags: ProxyFlags,
  task: (store: KeyStore) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadProxySettings(environment, flags);
  const folders = {
    data: dataDirectory(environment),
    configuration: dirname(configurationPath(environment, flags)),
  };
  const { location } = databaseLocation(settings, environment, folders);
  if (location.engine === "none")
    throw new AppError("usage", 'There is no database for keys: proxy.database is "none"', {
      hint: 'Set proxy.database to "sqlite" or a postgres URL.',
    });
  const db = await openDatabase(location, sqliteWorkerFiles);
  try {
    const store = createKeyStore(db);
    const result = await task(store);
    // The next start then opens the database before it accepts calls.
    const { requiresKeys } = await store.snapshot();
    await setRequiresKeys(folders.data, requiresKeys).catch(() => {});
    return result;
  } catch (error) {
    throw asUsage(error);
  } finally {
    await db.destroy();
  }
}

/** A name that is unknown or taken is a mistake on the command line: exit code 2. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof AppError) || (error.code !== "not_found" && error.code !== "conflict")) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new AppError("usage", error.message, { cause: error, ...hint });
}
