import type { CaptureTable } from "../../database/schema.ts";
import type { KeyDirectory } from "./key-directory.ts";
import type { KeyStore } from "./key-store.ts";
import type { LedgerQueries } from "./ledger-queries.ts";

/** What serving processes ask the database for; never on the path of a call. Every value is plain data. */
export interface GatewayStore
  extends Omit<KeyStore, "snapshot" | "revision" | "createFirstAdmin" | "restore">,
    LedgerQueries {
  /** Writes the bodies of a call. */
  saveCapture(row: CaptureTable): Promise<void>;
}

/** The state of the database, for `/readyz`, `/health` and the dashboard. */
export interface DatabaseState {
  readonly engine: "none" | "sqlite" | "postgres";
  readonly status: "ok" | "opening" | "down" | "none";
  /** Why it is down; without passwords. */
  readonly reason: string | null;
}

/** The database as a process that serves calls sees it. */
export interface Gateway {
  readonly directory: KeyDirectory;
  /** Resolves once the database is open. Rejects with `storage` if there is none. */
  store(): Promise<GatewayStore>;
  state(): DatabaseState | Promise<DatabaseState>;
}
