import type { CaptureTable } from "../../database/schema.ts";
import { AppError } from "../../errors.ts";
import { createKeyDirectory, type KeyDirectory } from "./key-directory.ts";
import type { KeyStore } from "./key-store.ts";
import type { LedgerQueries } from "./ledger-queries.ts";
import type { BudgetAccount, SpentBudget } from "./limits-spent.ts";
import type { ReplicaRegistry } from "./replica-registry.ts";
import type { ResponseRows } from "./response-rows.ts";

/** The database operations of the processes that serve calls. Every value is plain data. */
export interface GatewayStore
  extends Omit<KeyStore, "snapshot" | "revision" | "createFirstAdmin" | "restore">,
    LedgerQueries,
    ResponseRows,
    ReplicaRegistry {
  /** Writes the bodies of a call. */
  saveCapture(row: CaptureTable): Promise<void>;
  /** Returns the amounts spent from budgets in their current periods. */
  spent(accounts: readonly BudgetAccount[]): Promise<readonly SpentBudget[]>;
}

/** The state of the database. */
export interface DatabaseState {
  readonly engine: "none" | "sqlite" | "postgres";
  readonly status: "ok" | "opening" | "down" | "none";
  /** The reason why the database is down, without passwords. */
  readonly reason: string | null;
}

/** Access to the database for a process that serves calls. */
export interface Gateway {
  readonly directory: KeyDirectory;
  /** Resolves with the store. Without an open database, this function or the store's functions reject. */
  store(): Promise<GatewayStore>;
  state(): DatabaseState | Promise<DatabaseState>;
}

/** The gateway of a proxy without a database. */
export const NO_GATEWAY: Gateway = {
  directory: emptyDirectory(),
  async store() {
    throw new AppError("storage", 'There is no database: proxy.database is "none"');
  },
  state: () => ({ engine: "none", status: "none", reason: null }),
};

function emptyDirectory(): KeyDirectory {
  const directory = createKeyDirectory();
  directory.replace({ revision: 0, keys: [], secrets: [], teams: [], requiresKeys: false });
  return directory;
}
