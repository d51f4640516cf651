/** The messages between the SQLite driver and its worker thread. */

export type SqlValue = null | number | bigint | string | Uint8Array;

/** The parameters of each run of one statement. */
export type SqlLists = readonly (readonly SqlValue[])[];

/** The data with which the worker starts. */
export interface WorkerSettings {
  /** The database file. */
  readonly path: string;
  /** SQLite as WebAssembly, for Node.js versions without node:sqlite. */
  readonly wasm: Uint8Array;
}

export interface SqlRequest {
  readonly id: number;
  readonly sql: string;
  /** The statement's parameters, or several lists of them: the statement runs once for each list. */
  readonly parameters: readonly SqlValue[] | SqlLists;
}

export interface SqlResult {
  /** With lists of parameters, the number of rows that each run changed, as `{changes}`. */
  readonly rows: Record<string, SqlValue>[];
  /** How many rows a statement changed; 0 if it returns rows, and with lists of parameters. */
  readonly changes: number;
}

export type SqlResponse =
  | ({ readonly id: number } & SqlResult)
  | { readonly id: number; readonly error: string };
