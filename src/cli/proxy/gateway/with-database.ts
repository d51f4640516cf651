import { dirname } from "node:path";
import { dataDirectory, type Environment } from "../../../config/paths.ts";
import { databaseLocation } from "../../../config/proxy/database-location.ts";
import { configurationPath, loadProxySettings, type ProxyFlags } from "../../../config/proxy/settings.ts";
import { databaseSources, readSecrets } from "../../../config/secret-sources.ts";
import { type Database, openDatabase } from "../../../database/open-database.ts";
import { AppError } from "../../../errors.ts";
import { sqliteWorkerFiles } from "../../worker-files.ts";

/** The purpose for which a command opens the database, for its error messages. */
interface Purpose {
  /** The stored data, such as `keys`. */
  readonly content: string;
  /** Returns the hint for a configuration without a database. */
  readonly hint: (dataDirectory: string) => string;
}

/** Opens the proxy's database for one task. Throws `usage` if `proxy.database` is "none". */
export async function withDatabase<Result>(
  environment: Environment,
  flags: ProxyFlags,
  { content, hint }: Purpose,
  task: (db: Database, dataDirectory: string) => Promise<Result>,
): Promise<Result> {
  const { settings } = await loadProxySettings(environment, flags);
  const data = dataDirectory(environment);
  const folders = { data, configuration: dirname(configurationPath(environment, flags)) };
  const secrets = await readSecrets(databaseSources(settings, environment), environment);
  const { location } = databaseLocation(settings, environment, folders, secrets);
  if (location.engine === "none")
    throw new AppError("usage", `Cannot open the database of ${content}: proxy.database is "none"`, {
      hint: hint(data),
    });
  const db = await openDatabase(location, sqliteWorkerFiles);
  try {
    return await task(db, data);
  } finally {
    await db.destroy();
  }
}
