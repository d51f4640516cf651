/** The messages between the SQLite driver and its worker thread. */

export type SqlValue = null | number | bigint | string | Uint8Array;

/** Starts the worker. */
export interface WorkerSettings {
  /** The database file. */
  readonly path: string;
  /** SQLite as WebAssembly, for Node.js versions without node:sqlite. */
  readonly wasm: Uint8Array;
}

export interface SqlRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

export interface SqlResult {
  readonly rows: Record<string, SqlValue>[];
  /** How many rows an insert, update or delete changed. */
  readonly changes: number;
}

export type SqlResponse =
  | ({ readonly id: number } & SqlResult)
  | { readonly id: number; readonly error: string };
