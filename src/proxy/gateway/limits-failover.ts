import { setTimeout as pause } from "node:timers/promises";
import type { Period, Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import type { Decision, LimitStore, RedisState, Reservation, SubjectState, Usage } from "./limits.ts";
import { createMemoryLimits } from "./limits-memory.ts";
import { type LimitLedger, Shares } from "./limits-shares.ts";
import { accountId, type BudgetAccount } from "./limits-spent.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisLimits } from "./redis-limits.ts";

/** What happens to calls with limits while Redis is unreachable. */
export type RedisFailure = "local" | "refuse";

/**
 * Returns a store that counts in Redis. While Redis is unreachable, it counts this replica's share in memory, or
 * rejects calls with `limits_unavailable`. Amounts spent meanwhile are charged when Redis is reachable again; budgets that Redis has
 * lost are read from the ledger.
 */
export function createFailover(
  redis: RedisLimits,
  connection: RedisConnection,
  failure: () => RedisFailure,
  ledger?: LimitLedger,
): LimitStore {
  return new Failover(redis, connection, failure, ledger);
}

/** Milliseconds after which every replica has written the calls that ended before Redis was back. */
const WRITTEN_MS = 1_000;

/** Milliseconds between two attempts to restore budgets. */
const RETRY_MS = 250;

/** The cost of a call while Redis was unreachable, and when it ended. */
interface Uncharged {
  readonly subjects: readonly Subject[];
  readonly micros: number;
  readonly at: number;
  /** The call's reservation in Redis, which may have ended without a reply. */
  readonly unsettled?: { readonly reservation: Reservation; readonly used: Usage } | undefined;
}

const NO_USAGE: Usage = { tokens: 0, micros: 0 };

/** Accounts restored from the ledger, with a time in milliseconds since 1970: the ledger has all calls that ended before. */
type Restored = ReadonlyMap<string, number>;

const NOTHING: Restored = new Map();

class Failover implements LimitStore {
  readonly keepsMeta = true;
  private isRestoring = false;
  /** Identifies the data of Redis when it was last reached. */
  private dataId: string | undefined;
  /** Whether Redis has the same data as before the last connection. */
  private hasKeptData = false;
  private local = createMemoryLimits();
  private readonly shares: Shares;
  /** Reservations in memory, with the subjects as configured. */
  private readonly open = new Map<string, Reservation>();
  /** Amounts that were spent while Redis was unreachable and are not charged yet. */
  private uncharged: Uncharged[] = [];
  /** Calls that have ended while budgets are restored. */
  private deferred: { readonly reservation: Reservation; readonly used: Usage; readonly at: number }[] = [];

  constructor(
    private readonly store: RedisLimits,
    private readonly connection: RedisConnection,
    private readonly failure: () => RedisFailure,
    private readonly ledger: LimitLedger | undefined,
  ) {
    this.shares = new Shares(() => store.replicas, ledger);
    let isFirst = connection.isReady;
    connection.onConnect(() => {
      // `prime` sets the budgets of the start.
      if (isFirst) void this.readDataId();
      else void this.reconnect();
      isFirst = false;
    });
  }

  async reserve(reservation: Reservation): Promise<Decision> {
    if (this.isUsable) {
      try {
        const decision = await this.store.reserve(reservation);
        this.shares.remember(reservation.subjects, decision.states);
        return decision;
      } catch {
        // The connection has broken or Redis does not respond. Redis may still have made the reservation.
        this.settleInRedis(reservation, NO_USAGE);
      }
    }
    this.refuseIfConfigured();
    // Other replicas have spent more since this one last asked Redis. The database is read once, in a second at most.
    await this.shares.begin();
    const subjects = reservation.subjects.map((subject) => this.shares.getShare(subject));
    const share = { ...reservation, subjects };
    const decision = await this.local.reserve(share);
    if (decision.excess === undefined) this.open.set(reservation.id, share);
    return decision;
  }

  settle(reservation: Reservation, used: Usage): void {
    const share = this.open.get(reservation.id);
    if (share === undefined && this.isRestoring) {
      // Charging it now would create an account without the amounts in the ledger.
      this.deferred.push({ reservation, used, at: Date.now() });
      return;
    }
    if (share === undefined) {
      this.settleInRedis(reservation, used);
      return;
    }
    this.open.delete(reservation.id);
    this.local.settle(share, used);
    this.addUncharged(reservation.subjects, used.micros);
    if (this.isUsable) this.recover(NOTHING);
  }

  async read(subjects: readonly Subject[]): Promise<readonly SubjectState[]> {
    if (this.isUsable) {
      try {
        return await this.store.read(subjects);
      } catch {
        // As in `reserve`.
      }
    }
    return this.local.read(subjects.map((subject) => this.shares.getShare(subject)));
  }

  prime: LimitStore["prime"] = (spent) => this.store.prime(spent);

  redisState(): RedisState {
    if (this.isUsable) return { status: "ok", reason: null };
    const restoring = this.isRestoring ? "budgets are read from the ledger" : "not connected";
    return { status: "down", reason: this.connection.failure ?? restoring };
  }

  close(): void {
    this.shares.close();
    this.store.close();
    this.connection.close();
  }

  /** Ends a reservation in Redis. Without a reply, tries again when Redis is reachable. */
  private settleInRedis(reservation: Reservation, used: Usage): void {
    const { subjects } = reservation;
    this.store.settle(reservation, used).catch(() => {
      const unsettled = { reservation, used };
      this.uncharged.push({ subjects, micros: used.micros, at: Date.now(), unsettled });
    });
  }

  private refuseIfConfigured(): void {
    if (this.failure() === "local") return;
    throw new AppError(
      "limits_unavailable",
      "Limits cannot be checked: Redis is unreachable. Retry in a moment.",
    );
  }

  private get isUsable(): boolean {
    return this.connection.isReady && !this.isRestoring;
  }

  private async readDataId(): Promise<void> {
    const { dataId } = await this.store.examine([]).catch(() => ({ dataId: undefined }));
    this.dataId ??= dataId;
  }

  /**
   * Restores the budgets that Redis has lost from the ledger, before calls are counted there again. If Redis becomes
   * unreachable meanwhile, the next connection continues.
   */
  private async reconnect(): Promise<void> {
    if (this.isRestoring) return;
    this.isRestoring = true;
    let restored: Restored | undefined;
    while (restored === undefined && this.connection.isReady) {
      restored = await this.restore().catch(() => undefined);
      if (restored === undefined) await pause(RETRY_MS, undefined, { ref: false });
    }
    this.isRestoring = false;
    if (restored === undefined) return;
    const { deferred } = this;
    this.deferred = [];
    for (const { reservation, used, at } of deferred)
      if (restored.size === 0) this.settle(reservation, used);
      else this.addUncharged(reservation.subjects, used.micros, at);
    this.recover(restored);
  }

  /**
   * Sets the accounts that Redis has lost to the amounts in the ledger. If Redis has other data than before, another replica
   * may have restored it already, without the latest calls of this one. Rejects if Redis does not respond.
   */
  private async restore(): Promise<Restored> {
    const { ledger } = this;
    const accounts = ledger?.accounts() ?? [];
    const { dataId, missing } = await this.store.examine(accounts);
    const hasKeptData = dataId === this.dataId;
    const wanted = hasKeptData ? missing : accounts;
    const restored = ledger && wanted.length > 0 ? await this.restoreAccounts(ledger, wanted) : NOTHING;
    // Set last: an attempt that failed is repeated as the first one.
    this.hasKeptData = hasKeptData;
    this.dataId = dataId;
    return restored;
  }

  private async restoreAccounts(ledger: LimitLedger, wanted: readonly BudgetAccount[]): Promise<Restored> {
    await pause(WRITTEN_MS, undefined, { ref: false });
    const readAt = Date.now();
    // With the database down as well, budgets begin with the amounts that this replica has spent meanwhile.
    const spent = await ledger.spent(wanted).catch(() => []);
    const restored = spent.map(async (each) => {
      const { isNew, setAt } = await this.store.prime(each);
      // Calls may have taken a moment to be written before another replica has read the ledger; they are charged again.
      const before = isNew ? readAt : setAt === undefined ? 0 : setAt - WRITTEN_MS;
      return [accountId(each), before] as const;
    });
    return new Map(await Promise.all(restored));
  }

  private addUncharged(subjects: readonly Subject[], micros: number, at: number = Date.now()): void {
    if (micros > 0) this.uncharged.push({ subjects, micros, at });
  }

  /**
   * Charges the amounts spent meanwhile, except to accounts that were restored afterwards, because the ledger includes those
   * calls. Calls in flight keep their reservation in memory.
   */
  private recover(restored: Restored): void {
    const entries = this.uncharged;
    this.uncharged = [];
    if (this.isUsable) {
      this.shares.end();
      // Shares of this outage that are used up stay so until it ends.
      if (this.open.size === 0) this.local = createMemoryLimits();
    }
    for (const entry of entries) {
      if (entry.unsettled !== undefined && this.hasKeptData) {
        const { reservation, used } = entry.unsettled;
        this.store.settle(reservation, used, true).catch(() => this.uncharged.push(entry));
        continue;
      }
      if (entry.micros === 0) continue;
      const subjects = entry.subjects.map((subject) => withoutRestored(subject, restored, entry.at));
      this.store.charge(subjects, entry.micros).catch(() => this.uncharged.push({ ...entry, subjects }));
    }
  }
}

/** Returns the subject without the budgets whose accounts have a call that ended at `at`. */
function withoutRestored(subject: Subject, restored: Restored, at: number): Subject {
  if (restored.size === 0) return subject;
  const { id, limits } = subject;
  const hasCall = (period: Period) => at < (restored.get(accountId({ subject: id, period })) ?? 0);
  const budgets = limits.budgets?.filter(({ period }) => !hasCall(period));
  return { ...subject, limits: { ...limits, budgets } };
}
