import { type Kysely, sql } from "kysely";

/** Creates the tables of replicas and stored responses. */
export async function createReplicaTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("replicas")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("in_flight", "integer", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("responses")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("time", "bigint", (column) => column.notNull())
    // SQLite stores the bytes whatever the type is called.
    .addColumn("body", sql`bytea`, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("responses_time").on("responses").column("time").execute();
}
