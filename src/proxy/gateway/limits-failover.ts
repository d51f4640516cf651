import type { Limits, Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import {
  type Decision,
  type LimitStore,
  type RedisState,
  type Reservation,
  type SubjectState,
  toMicros,
  toUsd,
  type Usage,
} from "./limits.ts";
import { createMemoryLimits } from "./limits-memory.ts";
import { accountId, type BudgetAccount, type SpentBudget } from "./limits-spent.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisLimits } from "./redis-limits.ts";

/** What happens to calls with limits while Redis is unreachable. */
export type RedisFailure = "local" | "refuse";

/**
 * Returns a store that counts in Redis. While Redis is unreachable, it counts this replica's share in memory, or
 * rejects calls with `limits_unavailable`. The amounts spent meanwhile are charged when Redis is reachable again.
 */
export function createFailover(
  redis: RedisLimits,
  connection: RedisConnection,
  failure: () => RedisFailure,
  ledger?: SpentReader,
): LimitStore {
  return new Failover(redis, connection, failure, ledger);
}

/** Reads the amounts spent of budgets from the ledger, for a Redis server that has lost its data. */
export interface SpentReader {
  /** Returns the budgets of all keys and teams. */
  accounts(): readonly BudgetAccount[];
  spent(accounts: readonly BudgetAccount[]): Promise<readonly SpentBudget[]>;
}

/** Maximum number of subjects whose last state is kept. */
const MAX_KNOWN = 10_000;

class Failover implements LimitStore {
  private isRestoring = false;
  private local = createMemoryLimits();
  /** The shares of subjects while Redis is unreachable. */
  private shares = new Map<string, Subject>();
  /** The limits that subjects had left when Redis last responded. */
  private readonly known = new Map<string, SubjectState>();
  /** Reservations in memory, with the subjects as configured. */
  private readonly open = new Map<string, Reservation>();
  /** Amounts that were spent while Redis was unreachable and are not charged yet. */
  private uncharged: { readonly subjects: readonly Subject[]; readonly micros: number }[] = [];

  constructor(
    private readonly store: RedisLimits,
    private readonly connection: RedisConnection,
    private readonly failure: () => RedisFailure,
    private readonly ledger: SpentReader | undefined,
  ) {
    let isFirst = connection.isReady;
    connection.onConnect(() => {
      // `prime` sets the budgets of the start.
      if (!isFirst) void this.reconnect();
      isFirst = false;
    });
  }

  async reserve(reservation: Reservation): Promise<Decision> {
    if (this.isUsable) {
      try {
        const decision = await this.store.reserve(reservation);
        this.remember(reservation.subjects, decision.states);
        return decision;
      } catch {
        // The connection has broken or Redis does not respond.
      }
    }
    this.refuseIfConfigured();
    const subjects = reservation.subjects.map((subject) => this.getShare(subject));
    const share = { ...reservation, subjects };
    const decision = await this.local.reserve(share);
    if (decision.excess === undefined) this.open.set(reservation.id, share);
    return decision;
  }

  settle(reservation: Reservation, used: Usage): void {
    const share = this.open.get(reservation.id);
    if (share === undefined) {
      this.store.settle(reservation, used).catch(() => this.addUncharged(reservation.subjects, used.micros));
      return;
    }
    this.open.delete(reservation.id);
    this.local.settle(share, used);
    this.addUncharged(reservation.subjects, used.micros);
    if (this.isUsable) this.recover(NONE);
  }

  async read(subjects: readonly Subject[]): Promise<readonly SubjectState[]> {
    if (this.isUsable) {
      try {
        return await this.store.read(subjects);
      } catch {
        // As in `reserve`.
      }
    }
    return this.local.read(subjects.map((subject) => this.getShare(subject)));
  }

  prime: LimitStore["prime"] = (...parameters) => this.store.prime(...parameters);

  redisState(): RedisState {
    if (this.connection.isReady) return { status: "ok", reason: null };
    return { status: "down", reason: this.connection.failure ?? "not connected" };
  }

  close(): void {
    this.store.close();
    this.connection.close();
  }

  private refuseIfConfigured(): void {
    if (this.failure() === "local") return;
    throw new AppError(
      "limits_unavailable",
      "Limits cannot be checked: Redis is unreachable. Retry in a moment.",
    );
  }

  /** Returns a subject with this replica's share of its limits. */
  private getShare(subject: Subject): Subject {
    const known = this.shares.get(subject.id);
    if (known !== undefined) return known;
    const { replicas } = this.store;
    const share = { ...subject, limits: divide(subject.limits, this.known.get(subject.id), replicas) };
    this.shares.set(subject.id, share);
    return share;
  }

  private remember(subjects: readonly Subject[], states: readonly SubjectState[]): void {
    for (const [index, { id }] of subjects.entries()) {
      const state = states[index];
      if (state !== undefined && (this.known.has(id) || this.known.size < MAX_KNOWN))
        this.known.set(id, state);
    }
  }

  private get isUsable(): boolean {
    return this.connection.isReady && !this.isRestoring;
  }

  /** Restores the budgets that Redis has lost from the ledger, before calls are counted there again. */
  private async reconnect(): Promise<void> {
    this.isRestoring = true;
    let restored: ReadonlySet<string> = NONE;
    try {
      restored = await this.restore();
    } catch {
      // The database is down as well: budgets begin with the amounts that this replica has spent meanwhile.
    }
    this.isRestoring = false;
    this.recover(restored);
  }

  private async restore(): Promise<ReadonlySet<string>> {
    const accounts = this.ledger?.accounts() ?? [];
    const missing = accounts.length === 0 ? [] : await this.store.missing(accounts);
    if (missing.length === 0 || this.ledger === undefined) return NONE;
    const spent = await this.ledger.spent(missing);
    await Promise.all(
      spent.map(({ subject, period, start, micros }) => this.prime(subject, period, start, micros)),
    );
    return new Set(missing.map(accountId));
  }

  private addUncharged(subjects: readonly Subject[], micros: number): void {
    if (micros > 0) this.uncharged.push({ subjects, micros });
  }

  /**
   * Charges the amounts spent meanwhile, except to accounts that were restored: the ledger includes these calls. Calls
   * in flight keep their reservation in memory.
   */
  private recover(restored: ReadonlySet<string>): void {
    this.shares = new Map();
    const entries = this.uncharged;
    this.uncharged = [];
    if (this.open.size === 0) this.local = createMemoryLimits();
    for (const { subjects, micros } of entries) {
      const charged = subjects.map((subject) => without(subject, restored));
      this.store.charge(charged, micros).catch(() => this.uncharged.push({ subjects: charged, micros }));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the subject without the budgets whose accounts were restored. */
function without(subject: Subject, restored: ReadonlySet<string>): Subject {
  const { id, limits } = subject;
  if (restored.size === 0) return subject;
  const budgets = limits.budgets?.filter(({ period }) => !restored.has(accountId({ subject: id, period })));
  return { ...subject, limits: { ...limits, budgets } };
}

function divide(limits: Limits, state: SubjectState | undefined, replicas: number): Limits {
  const part = (limit: number | undefined) =>
    limit === undefined ? undefined : Math.max(1, Math.floor(limit / replicas));
  return {
    rpm: part(limits.rpm),
    tpm: part(limits.tpm),
    concurrency: part(limits.concurrency),
    budgets: limits.budgets?.map(({ usd, period }, index) => {
      const left = state?.budgets[index]?.remainingMicros ?? toMicros(usd);
      return { usd: toUsd(Math.floor(left / replicas)), period };
    }),
  };
}
