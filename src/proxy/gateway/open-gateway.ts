import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { ProxyConfig } from "../../config/proxy/config.ts";
import type { DatabaseLocation } from "../../config/proxy/database-location.ts";
import type { EffectiveSetting } from "../../config/proxy/effective.ts";
import { type Database, openDatabase, replaceMissingTables, rethrow } from "../../database/open-database.ts";
import type { CaptureTable } from "../../database/schema.ts";
import type { SqliteWorkerFiles } from "../../database/sqlite/worker-client.ts";
import { getErrorMessage } from "../../errors.ts";
import { createQueue } from "../../files/in-turn.ts";
import { saveCapture } from "./captures.ts";
import type { DatabaseState, GatewayStore } from "./gateway.ts";
import { audit } from "./key-rows.ts";
import type { VirtualKey } from "./key-schemas.ts";
import { createKeyStore, type KeySnapshot, type KeyStore } from "./key-store.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLedgerQueries } from "./ledger-queries.ts";
import { startUpkeep } from "./ledger-retention.ts";
import { accountId, budgetAccounts, type SpentBudget } from "./limits-spent.ts";
import { readSpent } from "./read-spent.ts";
import { createReplicaRegistry } from "./replica-registry.ts";
import { createResponseRows } from "./response-rows.ts";

/** The open database of a proxy: its keys, its ledger and the queries of admins. */
export interface OpenGateway {
  readonly store: GatewayStore;
  readonly ledger: Ledger;
  /** Reads the keys again, and the amounts spent from new budgets. Records the names of changed settings. */
  refresh(): Promise<void>;
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
  /**
   * Receives the keys at the start and after each change, and the amounts spent from new budgets. Resolves when every
   * process of this proxy uses them.
   */
  readonly onKeys: (snapshot: KeySnapshot, spent: readonly SpentBudget[]) => Promise<void>;
  /** Stores the secret of the first start's admin key. Rejects if it cannot be stored. */
  readonly keepAdminKey: (secret: string) => Promise<void>;
  readonly note: (line: string) => void;
  /** Ends SQLite's thread when it aborts, even during a statement. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks for changes of keys or teams by other processes. */
const POLL_MS = 1_000;

/**
 * Opens the database, creates an admin key if there is none, and begins to copy the request log to the database. Throws
 * `configuration` or `storage` if the database cannot be used.
 */
export async function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  const { location, workerFiles, log, config, note } = options;
  // A reload may have changed the password. A change to another database requires a restart.
  const currentUrl = () => {
    const { database } = config();
    if (database.engine === "postgres") return database.url;
    return location.engine === "postgres" ? location.url : "";
  };
  const db = await openDatabase(location, workerFiles, { signal: options.signal, currentUrl });
  let copying: Ledger | undefined;
  try {
    const keys = createKeyStore(db);
    const firstAdmin = await keys.createFirstAdmin();
    const ledger = createLedger({
      db,
      log,
      logId: `${hostname()}:${resolve(log)}`,
      retentionMs: () => config().retention.callsMs,
      onFailure: (error) => note(`Calls cannot be written to the database yet: ${getErrorMessage(error)}`),
      onRecovery: () => note("Calls are written to the database again."),
    });
    copying = ledger;
    const repair = async (error: unknown) => {
      const current = location.engine === "postgres" ? { ...location, url: currentUrl() } : location;
      if (!(await replaceMissingTables(db, current, error))) return false;
      note("The database was replaced by an empty one: the keys and the calls in the log are written to it.");
      ledger.reread();
      return true;
    };
    const recordSettings = createSettingsAudit(db, config);
    const watch = await watchKeys(keys, createBudgetReader(db, ledger, config), options, repair);
    if (firstAdmin !== undefined) await keepFirstAdmin(firstAdmin, keys, options);
    const stopUpkeep = startUpkeep(db, () => config().retention);
    return {
      store: createStore(db, keys, watch.refresh, ledger),
      ledger,
      async refresh() {
        await watch.refresh();
        await recordSettings();
      },
      state: () => toState(location.engine, ledger.failure ?? watch.failure()),
      async close() {
        watch.stop();
        stopUpkeep();
        await ledger.close();
        await db.destroy();
      },
    };
  } catch (error) {
    await copying?.close();
    await db.destroy();
    throw error;
  }
}

function toState(engine: "sqlite" | "postgres", reason: string | undefined): DatabaseState {
  return { engine, status: reason === undefined ? "ok" : "down", reason: reason ?? null };
}

/**
 * Returns a function that records in the audit log the names of the settings that have changed since its last
 * successful run. Values are left out.
 */
function createSettingsAudit(db: Database, config: () => ProxyConfig) {
  const toTexts = (settings: readonly EffectiveSetting[]) =>
    new Map(settings.map(({ key, value }) => [key, JSON.stringify(value)]));
  let known = toTexts(config().settings);
  return async () => {
    const next = toTexts(config().settings);
    const changed = [...new Set([...known.keys(), ...next.keys()])].filter(
      (key) => known.get(key) !== next.get(key),
    );
    if (changed.length > 0) {
      const actor = { name: "configuration file", address: null };
      const detail = { changed, host: hostname() };
      await db.transaction().execute((trx) => audit(trx, actor, "settings.change", "", detail, Date.now()));
    }
    known = next;
  };
}

/** Stores the secret where the user finds it; if that fails, revokes the key, because its secret is lost. */
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

/**
 * Returns a function that reads the amounts spent from the budgets that the last snapshot did not have. Calls that are
 * in the log are written first.
 */
function createBudgetReader(db: Database, ledger: Ledger, config: () => ProxyConfig) {
  let known: ReadonlySet<string> | undefined;
  return async (snapshot: KeySnapshot): Promise<readonly SpentBudget[]> => {
    const accounts = budgetAccounts(config().keys, snapshot);
    const added = accounts.filter((account) => known?.has(accountId(account)) !== true);
    let spent: SpentBudget[] = [];
    if (added.length > 0) {
      await ledger.flush();
      spent = await readSpent(db, added);
      if (known !== undefined) spent = spent.map((each) => ({ ...each, isAdded: true }));
    }
    known = new Set(accounts.map(accountId));
    return spent;
  };
}

/**
 * Passes the keys to `onKeys` now and whenever their revision has changed. `repair` receives the error of a failed read
 * and returns whether the keys can be read now.
 */
async function watchKeys(
  keys: KeyStore,
  readBudgets: (snapshot: KeySnapshot) => Promise<readonly SpentBudget[]>,
  { onKeys, location }: GatewayOptions,
  repair: (error: unknown) => Promise<boolean>,
) {
  const inTurn = createQueue();
  let known: KeySnapshot | undefined;
  let failure: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const refresh = () =>
    // One at a time, because a slower read must not replace the result of a later one.
    inTurn(async () => {
      let snapshot = await keys.snapshot();
      if (known !== undefined && snapshot.keys.length === 0) {
        await keys.restore(known);
        snapshot = await keys.snapshot();
      }
      await onKeys(snapshot, await readBudgets(snapshot));
      // Set last, so that the poll repeats a failed attempt.
      known = snapshot;
    });
  const check = async () => {
    if ((await keys.revision()) !== known?.revision) await refresh();
  };
  let before: number | undefined;
  const poll = async () => {
    try {
      const stamp = await changeStamp(location);
      if (stamp === undefined || stamp !== before)
        await check().catch(async (error) => {
          if (!(await repair(error))) throw error;
          await check();
        });
      before = stamp;
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

/**
 * Returns the time of the last write to SQLite's file, so that an idle proxy does not query it; undefined for
 * PostgreSQL, which must be queried.
 */
async function changeStamp(location: GatewayOptions["location"]): Promise<number | undefined> {
  return location.engine === "sqlite" ? (await stat(location.path)).mtimeMs : undefined;
}

/**
 * Creates the gateway's store: a change of keys or teams resolves only after every process of this proxy has received
 * it. If the database fails after the change, the change resolves at once, because its result may be a secret that
 * nobody could read again; the processes receive the change when the database is available.
 */
function createStore(
  db: Database,
  keys: KeyStore,
  refresh: () => Promise<void>,
  ledger: Ledger,
): GatewayStore {
  type Task<Parameters extends unknown[], Result> = (...given: Parameters) => Promise<Result>;
  const reading =
    <Parameters extends unknown[], Result>(task: Task<Parameters, Result>): Task<Parameters, Result> =>
    (...given) =>
      task(...given).catch(rethrow);
  const changing = <Parameters extends unknown[], Result>(task: Task<Parameters, Result>) =>
    reading(async (...given: Parameters) => {
      const result = await task(...given);
      await refresh().catch(() => {});
      return result;
    });
  const queries = createLedgerQueries(db);
  return {
    saveCapture: reading((row: CaptureTable) => saveCapture(db, row)),
    ...createResponseRows(db),
    ...createReplicaRegistry(db),
    async spent(accounts) {
      await ledger.flush();
      return readSpent(db, accounts);
    },
    calls: reading(queries.calls),
    call: reading(queries.call),
    usage: reading(queries.usage),
    audit: reading(queries.audit),
    list: reading(keys.list),
    find: reading(keys.find),
    listTeams: reading(keys.listTeams),
    findTeam: reading(keys.findTeam),
    create: changing(keys.create),
    update: changing(keys.update),
    rotate: changing(keys.rotate),
    revoke: changing(keys.revoke),
    createTeam: changing(keys.createTeam),
    updateTeam: changing(keys.updateTeam),
    deleteTeam: changing(keys.deleteTeam),
  };
}
