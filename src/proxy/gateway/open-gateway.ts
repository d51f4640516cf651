import { hostname } from "node:os";
import { resolve } from "node:path";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { DatabaseLocation } from "../../config/proxy/database-location.ts";
import { type Database, openDatabase } from "../../database/open-database.ts";
import type { SqliteWorkerFiles } from "../../database/sqlite/worker-client.ts";
import { getErrorMessage } from "../../errors.ts";
import type { DatabaseState, GatewayStore } from "./gateway.ts";
import type { VirtualKey } from "./key-schemas.ts";
import { createKeyStore, type KeySnapshot, type KeyStore } from "./key-store.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLedgerQueries } from "./ledger-queries.ts";
import { startPruning } from "./ledger-retention.ts";

/** The open database of a proxy: its keys, its ledger and what admins ask for. */
export interface OpenGateway {
  readonly store: GatewayStore;
  readonly ledger: Ledger;
  state(): DatabaseState;
  /** Stops everything and closes the database. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly location: Exclude<DatabaseLocation, { engine: "none" }>;
  readonly workerFiles: () => Promise<SqliteWorkerFiles>;
  /** The path of the request log. */
  readonly log: string;
  readonly config: () => ProxyConfig;
  /** Receives the keys at the start and after each change; resolves when every process uses them. */
  readonly onKeys: (snapshot: KeySnapshot) => Promise<void>;
  /** Keeps the secret of the first start's admin key. Rejects if it cannot be kept. */
  readonly keepAdminKey: (secret: string) => Promise<void>;
  readonly note: (line: string) => void;
  /** Ends the thread of SQLite, whatever it does. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks for changes of keys or teams by other processes. */
const POLL_MS = 1_000;

/**
 * Opens the database, creates the admin key on the first start and begins to copy the log. Throws `configuration` if the
 * database cannot be used.
 */
export async function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  const { location, workerFiles, log, config, note } = options;
  const db = await openDatabase(location, workerFiles, options.signal);
  try {
    const keys = createKeyStore(db);
    const firstAdmin = await keys.createFirstAdmin();
    const watch = await watchKeys(keys, options);
    if (firstAdmin !== undefined) await keepFirstAdmin(firstAdmin, keys, options);
    const ledger = createLedger({
      db,
      log,
      logId: `${hostname()}:${resolve(log)}`,
      retentionMs: () => config().retention.callsMs,
      onFailure: (error) => note(`Calls cannot be written to the database yet: ${getErrorMessage(error)}`),
      onRecovery: () => note("The database can be written again."),
    });
    const stopPruning = startPruning(db, () => config().retention);
    return {
      store: createStore(db, keys, watch.refresh),
      ledger,
      state: () => stateOf(location.engine, ledger.failure ?? watch.failure()),
      async close() {
        watch.stop();
        stopPruning();
        await ledger.close();
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function stateOf(engine: "sqlite" | "postgres", reason: string | undefined): DatabaseState {
  return { engine, status: reason === undefined ? "ok" : "down", reason: reason ?? null };
}

/** Keeps the secret where the user finds it; a key whose secret nobody has is revoked again. */
async function keepFirstAdmin(
  { key, secret }: { readonly key: VirtualKey; readonly secret: string },
  keys: KeyStore,
  { keepAdminKey }: GatewayOptions,
): Promise<void> {
  try {
    await keepAdminKey(secret);
  } catch (error) {
    await keys.revoke(key.id, { name: "first start", address: null });
    throw error;
  }
}

/** Passes the keys on now and whenever their revision has changed. */
async function watchKeys(keys: KeyStore, { onKeys }: GatewayOptions) {
  let revision = -1;
  let failure: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const refresh = async () => {
    const snapshot = await keys.snapshot();
    // A slower read must not replace what a later one has found.
    if (snapshot.revision < revision) return;
    revision = snapshot.revision;
    await onKeys(snapshot);
  };
  const poll = async () => {
    try {
      if ((await keys.revision()) !== revision) await refresh();
      failure = undefined;
    } catch (error) {
      failure = getErrorMessage(error);
    }
    if (!isStopped) timer = setTimeout(poll, POLL_MS).unref();
  };
  await refresh();
  timer = setTimeout(poll, POLL_MS).unref();
  return {
    refresh,
    failure: () => failure,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Creates the store that admins use: after a change, every process knows the new keys before the change resolves. */
function createStore(db: Database, keys: KeyStore, refresh: () => Promise<void>): GatewayStore {
  const changing =
    <Parameters extends unknown[], Result>(task: (...given: Parameters) => Promise<Result>) =>
    async (...given: Parameters): Promise<Result> => {
      const result = await task(...given);
      await refresh();
      return result;
    };
  return {
    ...createLedgerQueries(db),
    list: keys.list,
    find: keys.find,
    listTeams: keys.listTeams,
    findTeam: keys.findTeam,
    create: changing(keys.create),
    update: changing(keys.update),
    rotate: changing(keys.rotate),
    revoke: changing(keys.revoke),
    createTeam: changing(keys.createTeam),
    updateTeam: changing(keys.updateTeam),
    deleteTeam: changing(keys.deleteTeam),
  };
}
