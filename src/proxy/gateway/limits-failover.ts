import { setTimeout as pause } from "node:timers/promises";
import type { Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import type { Decision, LimitStore, RedisState, Reservation, SubjectState, Usage } from "./limits.ts";
import { createMemoryLimits } from "./limits-memory.ts";
import {
  NOTHING,
  type Restored,
  restoreBudgets,
  waitForReplicas,
  withoutRestored,
} from "./limits-restore.ts";
import { type LimitLedger, Shares } from "./limits-shares.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisLimits } from "./redis-limits.ts";

/** The behavior for calls with limits while Redis is unreachable. */
export type RedisFailure = "local" | "refuse";

/**
 * Returns a store that counts in Redis. While Redis is unreachable, it counts this replica's share in memory, or
 * rejects calls with `limits_unavailable`. Amounts spent during the outage are charged when Redis is reachable again;
 * budgets that Redis has lost are read from the ledger.
 */
export function createFailover(
  redis: RedisLimits,
  connection: RedisConnection,
  failure: () => RedisFailure,
  ledger?: LimitLedger,
): LimitStore {
  return new Failover(redis, connection, failure, ledger);
}

/** Milliseconds between two attempts to restore budgets. */
const RETRY_MS = 250;

/** The cost of a call that has ended and is not charged in Redis yet. */
interface Uncharged {
  readonly subjects: readonly Subject[];
  readonly micros: number;
  /** When the call ended, in milliseconds since 1970. */
  readonly at: number;
  /** The call's reservation, which Redis may have ended although its reply did not arrive. */
  readonly unsettled?: { readonly reservation: Reservation; readonly used: Usage } | undefined;
}

const NO_USAGE: Usage = { tokens: 0, micros: 0 };

class Failover implements LimitStore {
  readonly keepsMeta = true;
  private isRestoring = false;
  /** Functions that let the calls that wait for restored budgets continue; undefined while calls need not wait. */
  private waiting: (() => void)[] | undefined;
  /** Identifies the data of Redis when it was last reached. */
  private dataId: string | undefined;
  /** Whether Redis still had its data at the latest reconnection. */
  private hasKeptData = false;
  private local = createMemoryLimits();
  private readonly shares: Shares;
  /** Reservations in memory by id; the limits of their subjects are this replica's shares. */
  private readonly open = new Map<string, Reservation>();
  /** Amounts that were spent while Redis was unreachable and are not charged yet. */
  private uncharged: Uncharged[] = [];
  /** Calls that ended while budgets were being restored. */
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
      // `prime` sets the budgets at the start.
      if (isFirst) void this.readDataId();
      else void this.reconnect();
      isFirst = false;
    });
  }

  async reserve(reservation: Reservation): Promise<Decision> {
    const { waiting } = this;
    if (waiting !== undefined && hasBudget(reservation))
      await new Promise<void>((resolve) => waiting.push(resolve));
    if (this.isUsable) {
      try {
        const decision = await this.store.reserve(reservation);
        this.shares.remember(reservation.subjects, decision.states);
        return decision;
      } catch {
        // The connection broke or Redis did not respond, but Redis may still have made the reservation.
        this.settleInRedis(reservation, NO_USAGE);
      }
    }
    this.refuseIfConfigured();
    // Other replicas may have spent more since this one last reached Redis.
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
        // The connection broke or Redis did not respond: the state of this replica's share is returned.
      }
    }
    return this.local.read(subjects.map((subject) => this.shares.getShare(subject)));
  }

  prime: LimitStore["prime"] = (spent) => this.store.prime(spent);

  redisState(): RedisState {
    if (this.isUsable) return { status: "ok", reason: null };
    const restoring = this.isRestoring ? "budgets are being read from the ledger" : "not connected";
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
   * Restores from the ledger the budgets that Redis has lost, before Redis counts calls again. If Redis becomes
   * unreachable meanwhile, this is repeated at the next connection.
   */
  private async reconnect(): Promise<void> {
    if (this.isRestoring) return;
    this.isRestoring = true;
    let restored: Restored | undefined;
    while (this.connection.isReady) {
      restored = await this.restore().catch(() => undefined);
      if (restored !== undefined) break;
      this.resume();
      await pause(RETRY_MS, undefined, { ref: false });
    }
    this.isRestoring = false;
    if (restored !== undefined) this.takeBack(restored);
    this.resume();
  }

  /** Lets the waiting calls continue. */
  private resume(): void {
    const { waiting = [] } = this;
    this.waiting = undefined;
    for (const resolve of waiting) resolve();
  }

  /**
   * Charges the amounts spent during the outage, and the cost of calls that have ended since Redis became reachable.
   */
  private takeBack(restored: Restored): void {
    const { deferred } = this;
    this.deferred = [];
    for (const { reservation, used, at } of deferred)
      if (restored.size === 0) this.settle(reservation, used);
      else this.addUncharged(reservation.subjects, used.micros, at);
    this.recover(restored);
  }

  /**
   * Sets the accounts that Redis has lost to the amounts in the ledger: all accounts if the data in Redis was replaced,
   * because another replica may have restored them without the latest calls of this one. Rejects if Redis or the
   * database does not respond.
   */
  private async restore(): Promise<Restored> {
    const { ledger } = this;
    const accounts = ledger?.accounts() ?? [];
    const { dataId, missing } = await this.store.examine(accounts);
    const hasKeptData = dataId === this.dataId;
    const wanted = hasKeptData ? missing : accounts;
    let restored = NOTHING;
    if (ledger !== undefined && wanted.length > 0) {
      if (!hasKeptData) await this.endShares(ledger);
      restored = await restoreBudgets(this.store, ledger, wanted);
    }
    // Set last, so that a failed attempt is repeated like the first one.
    this.hasKeptData = hasKeptData;
    this.dataId = dataId;
    return restored;
  }

  /**
   * Waits for the other replicas to reconnect, then makes calls with budgets wait instead of using shares. Otherwise,
   * the ledger that one replica reads would lack amounts that another one is still spending from its share.
   */
  private async endShares(ledger: LimitLedger): Promise<void> {
    await waitForReplicas(this.store, ledger);
    this.waiting = [];
  }

  private addUncharged(subjects: readonly Subject[], micros: number, at: number = Date.now()): void {
    if (micros > 0) this.uncharged.push({ subjects, micros, at });
  }

  /**
   * Charges the amounts spent during the outage, except to accounts that were restored afterwards, because the ledger
   * includes those calls. Calls in flight keep their reservation in memory.
   */
  private recover(restored: Restored): void {
    const entries = this.uncharged;
    this.uncharged = [];
    if (this.isUsable) {
      this.shares.end();
      // The counters are kept until the outage ends, so that a share that is used up stays used up.
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

function hasBudget({ subjects }: Reservation): boolean {
  return subjects.some(({ limits }) => limits.budgets !== undefined && limits.budgets.length > 0);
}
