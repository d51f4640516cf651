import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Database } from "../../database/open-database.ts";

/** The stored conversations of all replicas (`ConversationStore`): JSON by id. */
export interface ResponseRows {
  loadResponse(id: string): Promise<Uint8Array | undefined>;
  /** Saves a conversation of up to 64 MiB; ignores a larger one. Resolves when every replica can load it. */
  saveResponse(entry: { readonly id: string; readonly bytes: Uint8Array }): Promise<void>;
  deleteResponse(id: string): Promise<void>;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** The fastest gzip level. */
const LEVEL = 1;
/** Maximum bytes of a stored conversation. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Creates the store; rows are deleted after `retention.responses` days (`ledger-retention.ts`). */
export function createResponseRows(db: Database): ResponseRows {
  return {
    async loadResponse(id) {
      const row = await db.selectFrom("responses").select("body").where("id", "=", id).executeTakeFirst();
      return row && decompress(row.body, { maxOutputLength: MAX_BYTES });
    },
    async saveResponse({ id, bytes }) {
      if (bytes.length > MAX_BYTES) return;
      const row = { time: Date.now(), body: await compress(bytes, { level: LEVEL }) };
      await db
        .insertInto("responses")
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute();
    },
    async deleteResponse(id) {
      await db.deleteFrom("responses").where("id", "=", id).execute();
    },
  };
}
