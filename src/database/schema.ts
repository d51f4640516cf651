/**
 * The tables of both engines: times are milliseconds since 1970, money is integer microdollars, lists and objects are
 * JSON text, booleans are 0 or 1.
 */
export interface Schema {
  gateway_keys: KeyTable;
  key_secrets: KeySecretTable;
  teams: TeamTable;
  /** One row whose number increases with each change of keys or teams. */
  revisions: RevisionTable;
  audit: AuditTable;
  calls: CallTable;
  usage_totals: UsageTotalTable;
  /** Bodies of calls, redacted. */
  captures: CaptureTable;
  /** The position in each request log up to which its lines are in `calls`. */
  log_positions: LogPositionTable;
  /** The processes that serve calls; used on PostgreSQL only. */
  replicas: ReplicaTable;
  /** Stored responses and threads, which any replica can continue. */
  responses: ResponseTable;
}

export interface CallTable {
  id: string;
  time: number;
  key_id: string | null;
  key_name: string | null;
  team: string | null;
  tags: string | null;
  session: string | null;
  client: string | null;
  client_dialect: string | null;
  route: string | null;
  model: string | null;
  upstream: string | null;
  upstream_model: string | null;
  status: number;
  error_code: string | null;
  error_message: string | null;
  stream: number;
  ms: number;
  ttft_ms: number | null;
  attempts: number;
  attempt_list: string | null;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_micros: number;
  unpriced: number;
  losses: string | null;
  replica: string | null;
}

/** Sums of the calls of an hour or a day in UTC, for several sets of columns: each call counts in every set. */
export interface UsageTotalTable {
  span: "hour" | "day";
  /** The set of columns that the sums are grouped by; the others are empty, as are absent values. */
  dimension: UsageDimension;
  /** Start of the hour or day. */
  time: number;
  key_id: string;
  key_name: string;
  team: string;
  model: string;
  upstream: string;
  tags: string;
  calls: number;
  errors: number;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_micros: number;
  unpriced_calls: number;
  /** Calls by latency: JSON such as `{"12":5}`, from the number of a bucket (`ledger-histogram.ts`) to a count. */
  ms: string;
  ttft: string;
}

/** `none`: one row for all calls; `all`: a row for each combination of key, team, model, upstream and tags. */
export type UsageDimension = "none" | "key" | "team" | "model" | "upstream" | "all";

export interface CaptureTable {
  id: string;
  time: number;
  /** Both bodies as JSON: gzip, then base64. */
  bodies: string;
}

export interface LogPositionTable {
  /** The machine and path of the log. */
  log: string;
  /** Identifies one of the log's files. */
  file: string;
  /** Bytes of that file that have been copied to `calls`. */
  position: number;
}

export interface ReplicaTable {
  id: string;
  version: string;
  since: number;
  in_flight: number;
  /** When it last reported, by the database's clock. */
  seen_at: number;
}

export interface ResponseTable {
  /** The owner and the response's id. */
  id: string;
  time: number;
  /** JSON, compressed with gzip. */
  body: Uint8Array;
}

export interface KeyTable {
  id: string;
  name: string;
  team: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  models: string | null;
  /** The MCP servers and tools that the key may use; null: all. */
  mcp: string | null;
  tags: string;
  role: string;
  limits: string;
  /** The calls whose bodies are stored; null: as configured. */
  capture: string | null;
  /** 1 for the admin key that the first start created. */
  first_start: number;
}

/** The secrets of a key: the current one, and earlier ones until their grace periods end. */
export interface KeySecretTable {
  /** Lower-case hexadecimal. */
  sha256: string;
  key_id: string;
  valid_until: number | null;
}

export interface TeamTable {
  name: string;
  created_at: number;
  tags: string;
  limits: string;
}

export interface RevisionTable {
  id: number;
  revision: number;
}

export interface AuditTable {
  /** The time and random digits, so that entries of the same millisecond have a fixed order. */
  id: string;
  time: number;
  actor: string;
  address: string | null;
  action: string;
  /** The key's id or the team's name; empty for settings and for keys restored after a failover. */
  subject: string;
  detail: string;
}
