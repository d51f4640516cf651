import type { Retention } from "../../config/proxy/config.ts";
import type { Database } from "../../database/open-database.ts";
import { pruneTotals } from "./usage-totals.ts";

/** Milliseconds between two rounds of deleting, and until the first one. */
const ROUND_MS = 3_600_000;
const FIRST_MS = 60_000;
/** Rows of one statement: few, so that writers do not wait. */
const ROWS = 1_000;
const PAUSE_MS = 50;
/** Totals and the audit log are kept for two years. */
const TOTALS_MS = 2 * 366 * 86_400_000;

/** Deletes rows whose retention period has passed, in the background. Returns a function that stops the deletion. */
export function startUpkeep(db: Database, retention: () => Retention): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    // The next round tries again.
    await pruneAll(db, retention(), Date.now(), () => isStopped).catch(() => {});
    if (!isStopped) timer = setTimeout(round, ROUND_MS).unref();
  };
  timer = setTimeout(round, FIRST_MS).unref();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Deletes the rows whose retention period has passed at `now`. */
export async function pruneAll(
  db: Database,
  { callsMs, capturesMs, responsesMs }: Retention,
  now: number,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const prune = async (table: "calls" | "captures" | "audit" | "responses", before: number) => {
    for (;;) {
      if (isStopped()) return;
      const old = await db.selectFrom(table).select("id").where("time", "<", before).limit(ROWS).execute();
      if (old.length === 0) return;
      const ids = old.map(({ id }) => id);
      await db.deleteFrom(table).where("id", "in", ids).execute();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  };
  await prune("calls", now - callsMs);
  await prune("captures", now - Math.min(capturesMs, callsMs));
  await prune("audit", now - TOTALS_MS);
  await prune("responses", now - responsesMs);
  if (isStopped()) return;
  await pruneTotals(db, now - TOTALS_MS);
}
