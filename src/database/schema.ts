/**
 * The tables, as both engines hold them: times are milliseconds since 1970, money is integer microdollars, lists and
 * objects are JSON text, booleans are 0 or 1.
 */
export interface Schema {
  gateway_keys: KeyTable;
  key_secrets: KeySecretTable;
  teams: TeamTable;
  /** One row whose number rises with each change of keys or teams. */
  revisions: RevisionTable;
  audit: AuditTable;
}

export interface KeyTable {
  id: string;
  name: string;
  team: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  models: string | null;
  tags: string;
  role: string;
  limits: string;
  /** 1 for the admin key that the first start created. */
  first_start: number;
}

/** A key has one secret, and after a rotation with grace the former one as well. */
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
  /** Sorts by time, also within a millisecond. */
  id: string;
  time: number;
  actor: string;
  address: string | null;
  action: string;
  /** The key's id or the team's name. */
  subject: string;
  detail: string;
}
