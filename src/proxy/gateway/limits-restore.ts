import { setTimeout as pause } from "node:timers/promises";
import type { Period, Subject } from "../../config/proxy/limits.ts";
import type { LimitLedger } from "./limits-shares.ts";
import { accountId, type BudgetAccount } from "./limits-spent.ts";
import type { RedisLimits } from "./redis-limits.ts";

/** Milliseconds within which a replica writes an ended call to the ledger. */
const WRITTEN_MS = 1_000;

/** Time limit of reading the ledger, in milliseconds. */
const READ_MS = 3_000;

/** Time limit of the wait for the other replicas, and the time between two checks, in milliseconds. */
const RETURN_MS = 5_000;
const CHECK_MS = 250;

/** Accounts restored from the ledger, and the time (milliseconds since 1970) before which the ledger has all calls. */
export type Restored = ReadonlyMap<string, number>;

export const NOTHING: Restored = new Map();

/**
 * Sets accounts in Redis to the amounts in the ledger. Rejects if Redis or the database does not respond. If reading
 * the database fails, budgets begin with the amounts that this replica has spent during the outage.
 */
export async function restoreBudgets(
  store: RedisLimits,
  ledger: LimitLedger,
  accounts: readonly BudgetAccount[],
): Promise<Restored> {
  // The other replicas can stop using their shares up to a second later than this one.
  await pause(2 * WRITTEN_MS, undefined, { ref: false });
  const readAt = Date.now();
  const reading = ledger.spent(accounts).catch(() => []);
  const spent = await Promise.race([reading, pause(READ_MS, undefined, { ref: false })]);
  if (spent === undefined) throw new Error("The database does not respond");
  const restored = spent.map(async (each) => {
    const { isNew, setAt } = await store.prime(each);
    // Another replica may have read the ledger before the latest calls were written. These calls are charged again.
    const before = isNew ? readAt : setAt === undefined ? 0 : setAt - WRITTEN_MS;
    return [accountId(each), before] as const;
  });
  return new Map(await Promise.all(restored));
}

/**
 * Waits until Redis has seen every replica that the database lists, at most 5 s. Without the wait, this replica would
 * spend amounts that the others still spend from their shares. Rejects if Redis does not respond.
 */
export async function waitForReplicas(store: RedisLimits, ledger: LimitLedger): Promise<void> {
  const end = performance.now() + RETURN_MS;
  while (performance.now() < end) {
    const [listed, { replicas }] = await Promise.all([ledger.replicas().catch(() => 0), store.examine([])]);
    if (replicas >= listed) return;
    await pause(CHECK_MS, undefined, { ref: false });
  }
}

/** Returns the subject without the budgets whose restored accounts include a call that ended at `at`. */
export function withoutRestored(subject: Subject, restored: Restored, at: number): Subject {
  if (restored.size === 0) return subject;
  const { id, limits } = subject;
  const hasCall = (period: Period) => at < (restored.get(accountId({ subject: id, period })) ?? 0);
  const budgets = limits.budgets?.filter(({ period }) => !hasCall(period));
  return { ...subject, limits: { ...limits, budgets } };
}
