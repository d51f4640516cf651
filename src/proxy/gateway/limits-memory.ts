import type { Budget, Limits, Subject } from "../../config/proxy/limits.ts";
import { periodAt } from "./budget-periods.ts";
import {
  type Decision,
  type Excess,
  type LimitStore,
  type RateState,
  type Reservation,
  type SubjectState,
  toMicros,
  type Usage,
} from "./limits.ts";
import { accountId, type SpentBudget } from "./limits-spent.ts";

/**
 * The generic cell rate algorithm (ITU-T I.371) as a meter: a bucket of N units that drains N units per minute. Levels
 * are integers, so that a burst of exactly N fits: they count units times 60,000,000 and drain by N per microsecond.
 */
const UNIT = 60_000_000;

/** The level of a bucket; `at` is microseconds since 1970. */
interface Level {
  readonly level: number;
  readonly at: number;
}

const EMPTY: Level = { level: 0, at: 0 };

/** Creates a store that counts in this process. `now` returns milliseconds since 1970. */
export function createMemoryLimits(now: () => number = Date.now): LimitStore {
  return new MemoryLimits(now);
}

interface Counters {
  rpm: Level;
  tpm: Level;
  inFlight: number;
}

interface Account {
  readonly start: number;
  spent: number;
  reserved: number;
}

class MemoryLimits implements LimitStore {
  readonly keepsMeta = false;
  private readonly counters = new Map<string, Counters>();
  /** Accounts of the current periods, by subject and period. */
  private readonly accounts = new Map<string, Account>();
  /** The accounts that each open reservation has reserved from. */
  private readonly open = new Map<string, readonly Account[]>();

  constructor(private readonly now: () => number) {}

  reserve(reservation: Reservation): Decision {
    const { subjects } = reservation;
    const at = this.now();
    const excess = this.findExcess(reservation, at);
    if (excess === undefined) this.take(reservation, at);
    return { excess, states: subjects.map((subject) => this.getState(subject, at)) };
  }

  settle({ id, subjects, calls, tokens, micros }: Reservation, used: Usage): void {
    const reserved = this.open.get(id);
    if (reserved === undefined) return;
    this.open.delete(id);
    const at = this.now();
    for (const { id: subject, limits } of subjects) {
      const counters = this.getCounters(subject);
      counters.inFlight = Math.max(0, counters.inFlight - calls);
      if (limits.tpm !== undefined) counters.tpm = add(counters.tpm, limits.tpm, at, used.tokens - tokens);
    }
    for (const account of reserved) {
      account.reserved -= micros;
      account.spent += used.micros;
    }
  }

  read(subjects: readonly Subject[]): readonly SubjectState[] {
    const at = this.now();
    return subjects.map((subject) => this.getState(subject, at));
  }

  prime({ subject, period, start, micros, isAdded }: SpentBudget): void {
    const id = accountId({ subject, period });
    const known = this.accounts.get(id);
    if (known === undefined || known.start < start)
      this.accounts.set(id, { start, spent: micros, reserved: 0 });
    else if (isAdded && known.start === start) known.spent = Math.max(known.spent, micros);
  }

  close(): void {}

  /** Returns the first limit that the reservation exceeds: each kind of limit is checked for all subjects in turn. */
  private findExcess(reservation: Reservation, at: number): Excess | undefined {
    const { subjects, calls, tokens, micros } = reservation;
    const find = (check: (limits: Limits, subject: Subject) => Omit<Excess, "subject"> | undefined) => {
      for (const [index, subject] of subjects.entries()) {
        const found = check(subject.limits, subject);
        if (found !== undefined) return { ...found, subject: index };
      }
      return undefined;
    };
    return (
      find(({ concurrency }, { id }) =>
        concurrency !== undefined && this.getCounters(id).inFlight + calls > concurrency
          ? { limit: "concurrency", budget: 0, retryMs: 0, neverFits: calls > concurrency }
          : undefined,
      ) ??
      find(({ rpm }, { id }) => findRateExcess("rpm", rpm, this.getCounters(id).rpm, at, calls)) ??
      find(({ tpm }, { id }) =>
        findRateExcess(
          "tpm",
          calls > 0 || tokens > 0 ? tpm : undefined,
          this.getCounters(id).tpm,
          at,
          tokens,
        ),
      ) ??
      find(({ budgets = [] }, { id }) => {
        const index = budgets.findIndex((budget) => this.getRemaining(id, budget, at) < micros);
        const budget = budgets[index];
        if (budget === undefined) return undefined;
        const { end } = periodAt(budget.period, at);
        return {
          limit: "budget",
          budget: index,
          retryMs: end === undefined ? 0 : end - at,
          neverFits: micros > toMicros(budget.usd),
        };
      })
    );
  }

  private take({ id, subjects, calls, tokens, micros }: Reservation, at: number): void {
    const reserved: Account[] = [];
    for (const { id: subject, limits } of subjects) {
      const counters = this.getCounters(subject);
      counters.inFlight += calls;
      if (limits.rpm !== undefined) counters.rpm = add(counters.rpm, limits.rpm, at, calls);
      if (limits.tpm !== undefined) counters.tpm = add(counters.tpm, limits.tpm, at, tokens);
      for (const budget of limits.budgets ?? []) {
        const account = this.getAccount(subject, budget, at);
        // Two budgets of one period share an account.
        if (reserved.includes(account)) continue;
        account.reserved += micros;
        reserved.push(account);
      }
    }
    this.open.set(id, reserved);
  }

  private getState({ id, limits }: Subject, at: number): SubjectState {
    const { rpm, tpm, inFlight } = this.getCounters(id);
    const { concurrency, budgets = [] } = limits;
    return {
      rpm: getRateState(rpm, limits.rpm, at),
      tpm: getRateState(tpm, limits.tpm, at),
      concurrency: concurrency === undefined ? undefined : { remaining: Math.max(0, concurrency - inFlight) },
      budgets: budgets.map((budget) => ({
        remainingMicros: Math.max(0, this.getRemaining(id, budget, at)),
        resetsAt: periodAt(budget.period, at).end,
      })),
    };
  }

  /** Returns the microdollars that are neither spent nor reserved. */
  private getRemaining(subject: string, budget: Budget, at: number): number {
    const { spent, reserved } = this.getAccount(subject, budget, at);
    return toMicros(budget.usd) - spent - reserved;
  }

  private getAccount(subject: string, { period }: Budget, at: number): Account {
    const { start } = periodAt(period, at);
    const id = accountId({ subject, period });
    const known = this.accounts.get(id);
    // An account of a later period stays if the clock was set back.
    if (known !== undefined && known.start >= start) return known;
    const account = { start, spent: 0, reserved: 0 };
    this.accounts.set(id, account);
    return account;
  }

  private getCounters(subject: string): Counters {
    let counters = this.counters.get(subject);
    if (counters === undefined) {
      counters = { rpm: EMPTY, tpm: EMPTY, inFlight: 0 };
      this.counters.set(subject, counters);
    }
    return counters;
  }
}

function add(level: Level, limit: number, at: number, units: number): Level {
  const now = at * 1000;
  const next = drained(level, limit, now) + units * UNIT;
  return { level: Math.max(0, next), at: isAhead(level, now) ? now : Math.max(level.at, now) };
}

function findRateExcess(
  limit: "rpm" | "tpm",
  rate: number | undefined,
  level: Level,
  at: number,
  units: number,
): Omit<Excess, "subject"> | undefined {
  if (rate === undefined) return undefined;
  if (units > rate) return { limit, budget: 0, retryMs: 60_000, neverFits: true };
  const retryMs = waitFor(drained(level, rate, at * 1000), rate, units);
  return retryMs === 0 ? undefined : { limit, budget: 0, retryMs, neverFits: false };
}

function getRateState(level: Level, rate: number | undefined, at: number): RateState | undefined {
  if (rate === undefined) return undefined;
  const now = drained(level, rate, at * 1000);
  return { remaining: countRemaining(now, rate), resetMs: msUntilEmpty(now, rate) };
}

/** Returns the level at `now`. If the clock was set back by more than a minute, the bucket is empty. */
function drained({ level, at }: Level, limit: number, now: number): number {
  if (now <= at) return isAhead({ at }, now) ? 0 : level;
  return Math.max(0, level - limit * (now - at));
}

/** Microseconds in which every bucket drains. */
const MINUTE = 60_000_000;

/**
 * Returns whether the clock was set back after a level was stored. Without this check, the bucket would not drain until
 * that time.
 */
function isAhead({ at }: Pick<Level, "at">, now: number): boolean {
  return at - now > MINUTE;
}

/** Returns the milliseconds until `units` more fit; 0 if they fit now. `units` must not exceed the limit. */
function waitFor(level: number, limit: number, units: number): number {
  return Math.max(0, Math.ceil((level + units * UNIT - limit * UNIT) / limit / 1000));
}

/** Returns the remaining whole units. */
function countRemaining(level: number, limit: number): number {
  return Math.max(0, Math.floor(limit - level / UNIT));
}

/** Returns the milliseconds until the bucket is empty. */
function msUntilEmpty(level: number, limit: number): number {
  return Math.max(0, Math.ceil(level / limit / 1000));
}
