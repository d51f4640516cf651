import { timingSafeEqual } from "node:crypto";
import type { KeyLimits, ProxyKey } from "../../config/proxy/config.ts";
import { getLimitSubjects } from "../../config/proxy/limits.ts";
import type { VirtualKey } from "./key-schemas.ts";
import type { KeySnapshot } from "./key-store.ts";

/** The part of a team's data that calls need. */
export interface DirectoryTeam {
  readonly name: string;
  readonly limits: KeyLimits;
}

/**
 * The virtual keys and teams of the database, in memory, so that calls read them without waiting. Empty until the
 * database has been read, and without a database.
 */
export interface KeyDirectory {
  /**
   * Returns the key whose secret has this SHA-256, unless it is revoked or expired. The duration reveals nothing about
   * stored secrets.
   */
  findBySecret(sha256: Buffer): ProxyKey | undefined;
  /** Returns the key with this id, even if it is revoked or expired. */
  findById(id: string): VirtualKey | undefined;
  team(name: string): DirectoryTeam | undefined;
  teams(): readonly DirectoryTeam[];
  keys(): readonly VirtualKey[];
  /**
   * Whether the database has a key other than the first start's admin key, so that `auth_mode: "auto"` requires keys.
   * Revoked and expired keys count.
   */
  readonly requiresKeys: boolean;
  /** Whether the database has been read. */
  readonly isRead: boolean;
  /** The number of changes so far. */
  readonly version: number;
  /** Replaces all keys and teams with those that the database has now. */
  replace(snapshot: KeySnapshot): void;
  /** Calls `listener` after each change; returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

interface SecretEntry {
  readonly key: ProxyKey;
  /** Milliseconds since 1970. */
  readonly validUntil: number;
}

/** Creates an empty directory. */
export function createKeyDirectory(now: () => number = Date.now): KeyDirectory {
  const listeners = new Set<() => void>();
  let bySecret = new Map<string, SecretEntry>();
  let byId = new Map<string, VirtualKey>();
  let teams = new Map<string, DirectoryTeam>();
  let requiresKeys = false;
  let isRead = false;
  let version = 0;
  return {
    findBySecret(sha256) {
      // A client cannot choose the digest, so the duration of the map lookup reveals nothing about stored digests.
      const entry = bySecret.get(sha256.toString("latin1"));
      if (entry === undefined || !timingSafeEqual(entry.key.sha256, sha256)) return undefined;
      return entry.validUntil > now() ? entry.key : undefined;
    },
    findById: (id) => byId.get(id),
    team: (name) => teams.get(name),
    teams: () => [...teams.values()],
    keys: () => [...byId.values()],
    get requiresKeys() {
      return requiresKeys;
    },
    get isRead() {
      return isRead;
    },
    get version() {
      return version;
    },
    replace(snapshot) {
      isRead = true;
      version += 1;
      byId = new Map(snapshot.keys.map((key) => [key.id, key]));
      teams = new Map(snapshot.teams.map(({ name, limits }) => [name, { name, limits }]));
      bySecret = new Map(
        snapshot.secrets.flatMap(({ sha256, keyId, validUntil }) => {
          const key = byId.get(keyId);
          if (key === undefined || key.revoked_at !== null) return [];
          const digest = Buffer.from(sha256, "hex");
          const expiresAt = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at);
          const entry = {
            key: toProxyKey(key, digest, teams.get(key.team ?? "")),
            validUntil: Math.min(expiresAt, validUntil ?? Number.POSITIVE_INFINITY),
          };
          return [[digest.toString("latin1"), entry] as const];
        }),
      );
      requiresKeys = snapshot.requiresKeys;
      for (const listener of [...listeners]) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function toProxyKey(key: VirtualKey, sha256: Buffer, itsTeam: DirectoryTeam | undefined): ProxyKey {
  const { id, name, team, tags, role, models, mcp, limits, capture } = key;
  const subjects = getLimitSubjects({ id, name, limits }, itsTeam);
  return {
    id,
    name,
    sha256,
    team: team ?? undefined,
    tags,
    role,
    models: models ?? undefined,
    mcp: mcp ?? undefined,
    limits,
    capture: capture ?? undefined,
    subjects,
  };
}
