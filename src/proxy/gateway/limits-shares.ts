import { setTimeout as pause } from "node:timers/promises";
import type { Limits, Subject } from "../../config/proxy/limits.ts";
import { periodAt } from "./budget-periods.ts";
import { type SubjectState, toMicros, toUsd } from "./limits.ts";
import { accountId, type BudgetAccount, type SpentBudget } from "./limits-spent.ts";

/** Reads budgets and the number of replicas from the database. */
export interface LimitLedger {
  /** Returns the budgets of keys and teams. */
  accounts(): readonly BudgetAccount[];
  spent(accounts: readonly BudgetAccount[]): Promise<readonly SpentBudget[]>;
  /** Returns the number of replicas that have reported to the database recently. */
  replicas(): Promise<number>;
}

/** Maximum number of subjects whose last state is kept. */
const MAX_KNOWN = 10_000;
/** Milliseconds between two counts of replicas while Redis is unreachable. */
const COUNT_MS = 5_000;
/** Maximum duration of `begin`, in milliseconds. */
const MAX_SURVEY_MS = 1_000;

/** This replica's shares of limits while Redis is unreachable. */
export class Shares {
  /** The limits that subjects had left when Redis last responded. */
  private readonly known = new Map<string, SubjectState>();
  private shares = new Map<string, { readonly share: Subject; readonly until: number }>();
  private survey: Promise<void> | undefined;
  /** The largest number of replicas that Redis or the database has listed since `begin`. */
  private most = 1;
  /** The amount in the ledger for each account and period at `begin`, in microdollars. */
  private spent = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    /** Returns the number of replicas that Redis has listed. */
    private readonly replicas: () => number,
    private readonly ledger: LimitLedger | undefined,
  ) {
    this.timer = setInterval(() => {
      if (this.survey !== undefined) void this.countReplicas();
    }, COUNT_MS).unref();
  }

  /** Stores the remaining limits that Redis has returned for subjects. */
  remember(subjects: readonly Subject[], states: readonly SubjectState[]): void {
    for (const [index, { id }] of subjects.entries()) {
      const state = states[index];
      if (state !== undefined && (this.known.has(id) || this.known.size < MAX_KNOWN))
        this.known.set(id, state);
    }
  }

  /**
   * Begins to use shares and reads the database. Resolves after one second at most, even if the database has not been
   * read. Never rejects.
   */
  begin(): Promise<void> {
    this.survey ??= this.readLedger();
    return this.survey;
  }

  /** Discards the shares, because Redis counts again. */
  end(): void {
    this.survey = undefined;
    this.most = 1;
    this.spent = new Map();
    this.shares = new Map();
  }

  /** Returns a subject with this replica's share of its limits. */
  getShare(subject: Subject): Subject {
    const now = Date.now();
    const known = this.shares.get(subject.id);
    if (known !== undefined && known.until > now) return known.share;
    // An empty Redis lists fewer replicas than before, but the remaining amount of a share must not grow.
    this.most = Math.max(this.most, this.replicas());
    const share = { ...subject, limits: divide(subject.limits, this.getRemaining(subject, now), this.most) };
    const ends = subject.limits.budgets?.flatMap(({ period }) => periodAt(period, now).end ?? []) ?? [];
    this.shares.set(subject.id, { share, until: Math.min(Number.POSITIVE_INFINITY, ...ends) });
    return share;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Returns the remaining microdollars of each budget of a subject, as far as this replica knows. */
  private getRemaining({ id, limits }: Subject, now: number): number[] {
    const state = this.known.get(id);
    return (limits.budgets ?? []).map(({ usd, period }, index) => {
      const inRedis = state?.budgets[index];
      const isCurrent = (inRedis?.resetsAt ?? Number.POSITIVE_INFINITY) > now;
      const spent = this.spent.get(periodId({ subject: id, period, start: periodAt(period, now).start }));
      const inLedger = Math.max(0, toMicros(usd) - (spent ?? 0));
      return inRedis !== undefined && isCurrent ? Math.min(inRedis.remainingMicros, inLedger) : inLedger;
    });
  }

  private async readLedger(): Promise<void> {
    const { ledger } = this;
    if (ledger === undefined) return;
    const spent = ledger.spent(ledger.accounts()).then((budgets) => {
      this.spent = new Map(budgets.map((each) => [periodId(each), each.micros]));
      this.shares = new Map();
    });
    const all = Promise.allSettled([spent, this.countReplicas()]);
    await Promise.race([all, pause(MAX_SURVEY_MS, undefined, { ref: false })]);
  }

  /**
   * Reads the number of replicas from the database and reduces the shares when a replica has joined. Shares do not
   * grow, because a replica that has left may have used its share. Never rejects.
   */
  private async countReplicas(): Promise<void> {
    const listed = await this.ledger?.replicas().catch(() => 0);
    if (listed === undefined || listed <= this.most) return;
    this.most = listed;
    this.shares = new Map();
  }
}

function periodId({ subject, period, start }: Omit<SpentBudget, "micros">): string {
  return `${start} ${accountId({ subject, period })}`;
}

/**
 * Returns a replica's share of limits: at least 1 of each rate and of concurrency. `left` has the remaining amount of
 * each budget in microdollars.
 */
function divide(limits: Limits, left: readonly number[], replicas: number): Limits {
  const part = (limit: number | undefined) =>
    limit === undefined ? undefined : Math.max(1, Math.floor(limit / replicas));
  return {
    rpm: part(limits.rpm),
    tpm: part(limits.tpm),
    concurrency: part(limits.concurrency),
    budgets: limits.budgets?.map(({ period }, index) => ({
      usd: toUsd(Math.floor((left[index] ?? 0) / replicas)),
      period,
    })),
  };
}
