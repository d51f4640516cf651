import { sql } from "kysely";
import { type Database, getEngine } from "../../database/open-database.ts";

/** A process that serves calls, with its last report. */
export interface Replica {
  /** The part of call ids that identifies the process. */
  readonly id: string;
  readonly version: string;
  /** When it started: milliseconds since 1970. */
  readonly since: number;
  readonly inFlight: number;
}

/** The processes that serve calls with this database. */
export interface ReplicaRegistry {
  /** Records that a replica serves calls. Call it every few seconds (`heartbeat.ts`). */
  report(replica: Replica): Promise<void>;
  /** Removes a replica that stops. */
  leave(id: string): Promise<void>;
  /** Returns the replicas that have reported recently, oldest first. */
  replicas(): Promise<readonly Replica[]>;
}

/** Milliseconds without a report after which a replica is no longer listed. */
const MAX_SILENCE_MS = 17_500;
/** Milliseconds without a report after which a replica's row is deleted. */
const FORGOTTEN_MS = 60_000;

/**
 * Creates the registry. With PostgreSQL it is a table, with times by the clock of PostgreSQL. With SQLite it is in
 * memory, because only one proxy uses the file, and a write every few seconds would keep a laptop's disk awake.
 */
export function createReplicaRegistry(db: Database): ReplicaRegistry {
  return getEngine(db) === "postgres" ? tableRegistry(db) : memoryRegistry();
}

function memoryRegistry(): ReplicaRegistry {
  const seen = new Map<string, { readonly replica: Replica; readonly at: number }>();
  return {
    async report(replica) {
      seen.set(replica.id, { replica, at: performance.now() });
    },
    async leave(id) {
      seen.delete(id);
    },
    async replicas() {
      for (const [id, { at }] of seen) if (performance.now() - at > MAX_SILENCE_MS) seen.delete(id);
      return [...seen.values()].map(({ replica }) => replica).sort((one, other) => one.since - other.since);
    },
  };
}

/** Milliseconds since 1970 by the clock of PostgreSQL. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

function tableRegistry(db: Database): ReplicaRegistry {
  return {
    async report({ id, version, since, inFlight }) {
      const row = { version, since, in_flight: inFlight, seen_at: NOW };
      await db
        .insertInto("replicas")
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
      const forgotten = sql<number>`${NOW} - ${sql.lit(FORGOTTEN_MS)}`;
      await db.deleteFrom("replicas").where("seen_at", "<", forgotten).execute();
    },
    async leave(id) {
      await db.deleteFrom("replicas").where("id", "=", id).execute();
    },
    async replicas() {
      const rows = await db
        .selectFrom("replicas")
        .select(["id", "version", "since", "in_flight"])
        .where("seen_at", ">", sql<number>`${NOW} - ${sql.lit(MAX_SILENCE_MS)}`)
        .orderBy("since")
        .orderBy("id")
        .execute();
      return rows.map(({ in_flight: inFlight, ...row }) => ({ ...row, inFlight }));
    },
  };
}
