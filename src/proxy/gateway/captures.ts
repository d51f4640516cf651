import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { CaptureTable } from "../../database/schema.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const bodySchema = z
  .strictObject({
    text: z.string(),
    bytes: z.number().int().describe("Bytes of the whole body."),
    truncated: z.boolean().describe("Whether `text` is only the beginning."),
  })
  .nullable();

/** The bodies of the request and the response of one call, with secrets redacted. */
export const capturedSchema = z.strictObject({ request: bodySchema, response: bodySchema });
export type CapturedBodies = z.output<typeof capturedSchema>;

/** Returns the row of a call's bodies. */
export async function toCaptureRow(id: string, time: number, bodies: CapturedBodies): Promise<CaptureTable> {
  const compressed = await compress(JSON.stringify(bodies));
  return { id, time, bodies: compressed.toString("base64") };
}

/** Writes a call's bodies. */
export async function saveCapture(db: Database, row: CaptureTable): Promise<void> {
  await db
    .insertInto("captures")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Returns the bodies of a call, or null if none were kept. */
export async function findCapture(db: Database, id: string): Promise<CapturedBodies | null> {
  const row = await db.selectFrom("captures").select("bodies").where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const json = await decompress(Buffer.from(row.bodies, "base64"));
  return capturedSchema.parse(JSON.parse(json.toString("utf8")));
}
