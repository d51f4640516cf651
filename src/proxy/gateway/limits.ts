import type { Subject } from "../../config/proxy/limits.ts";
import type { SpentBudget } from "./limits-spent.ts";

/**
 * Limits of keys, teams and upstreams, as they apply to calls: rates, tokens, calls in flight and money.
 * `docs/reference/proxy.md` describes the rules. Money is in integer microdollars, time in milliseconds.
 */

/** The usage that a call reserves before it begins. */
export interface Reservation {
  /** Unique among the reservations of all replicas. */
  readonly id: string;
  readonly subjects: readonly Subject[];
  /** The number of calls that are counted against `rpm` and `concurrency`; 0 if only tokens and money are reserved. */
  readonly calls: number;
  readonly tokens: number;
  /** The maximum expected cost of the call. */
  readonly micros: number;
  /** The part of `micros` that is charged if the process ends before the call does. */
  readonly inputMicros: number;
  /** Milliseconds that the call may take; 0: no limit. */
  readonly totalMs: number;
  /** The metadata that the ledger records if the call is lost: JSON. */
  readonly meta?: string | undefined;
}

/** The remaining units of a rate; `resetMs` is the time until all units are available again. */
export interface RateState {
  readonly remaining: number;
  readonly resetMs: number;
}

/** The remaining budget of the current period. */
export interface BudgetState {
  readonly remainingMicros: number;
  /** Milliseconds since 1970; undefined for `total`. */
  readonly resetsAt: number | undefined;
}

/** The remaining limits of a subject. Limits that the subject does not have are absent. */
export interface SubjectState {
  readonly rpm?: RateState | undefined;
  readonly tpm?: RateState | undefined;
  readonly concurrency?: { readonly remaining: number } | undefined;
  /** In the order of the subject's budgets. */
  readonly budgets: readonly BudgetState[];
}

export type LimitName = "concurrency" | "rpm" | "tpm" | "budget";

/** The limit that a call exceeds. */
export interface Excess {
  /** The index of the subject. */
  readonly subject: number;
  readonly limit: LimitName;
  /** The index of the budget, if `limit` is `budget`. */
  readonly budget: number;
  /** Milliseconds until the call may fit, unless `neverFits`; 0 if that is not known, and for a `total` budget. */
  readonly retryMs: number;
  /** Whether the call is larger than the whole limit. */
  readonly neverFits: boolean;
}

/** Whether a call is admitted, and the remaining limits of each subject afterwards. */
export interface Decision {
  /** Undefined if the call is admitted. A call that is not admitted consumes nothing. */
  readonly excess: Excess | undefined;
  readonly states: readonly SubjectState[];
}

/** A reservation whose process ended before its call did. */
export interface LostReservation {
  readonly id: string;
  /** The charged amount. */
  readonly micros: number;
  readonly meta: string | undefined;
}

/** The usage of a call. */
export interface Usage {
  readonly tokens: number;
  readonly micros: number;
}

type Soon<Value> = Value | Promise<Value>;

/**
 * Counts the usage of calls against limits, in this process or for all replicas. `reserve` is atomic, so that
 * concurrent calls do not exceed a limit together.
 */
export interface LimitStore {
  /** Whether reservations need `meta`, because another process may end them. */
  readonly keepsMeta: boolean;
  /**
   * Reserves the maximum usage of a call for all of its subjects or for none. Limits are checked in the order of
   * `LimitName`.
   */
  reserve(reservation: Reservation): Soon<Decision>;
  /** Ends a reservation and charges the usage of the call. */
  settle(reservation: Reservation, used: Usage): void;
  /** Returns the remaining limits of each subject. */
  read(subjects: readonly Subject[]): Soon<readonly SubjectState[]>;
  /**
   * Sets the amount that was spent from a budget before the store counted it. If the store counts it already, does
   * nothing, or raises the amount if `isAdded`.
   */
  prime(spent: SpentBudget): Soon<unknown>;
  /** Returns the state of Redis; absent in stores without it. */
  redisState?(): RedisState;
  close(): Soon<void>;
}

/** Whether the replicas share limits at the moment. */
export interface RedisState {
  readonly status: "ok" | "down" | "none";
  /** The reason why Redis is down, without passwords. */
  readonly reason: string | null;
}

/** Returns the state of a store's Redis; `none` for a store without it. */
export function redisState(store: LimitStore): RedisState {
  return store.redisState?.() ?? { status: "none", reason: null };
}

const MICROS_PER_USD = 1_000_000;

/** Converts US dollars to microdollars. */
export function toMicros(usd: number): number {
  return Math.round(usd * MICROS_PER_USD);
}

/** Converts microdollars to US dollars. */
export function toUsd(micros: number): number {
  return micros / MICROS_PER_USD;
}
