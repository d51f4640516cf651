import { createHash, randomBytes } from "node:crypto";
import type { Limits, Subject } from "../../config/proxy/limits.ts";
import { periodAt, startsAround } from "./budget-periods.ts";
import {
  type BudgetState,
  type Decision,
  type Excess,
  type LimitName,
  type LimitStore,
  type LostReservation,
  type RateState,
  type Reservation,
  type SubjectState,
  toMicros,
  type Usage,
} from "./limits.ts";
import type { BudgetAccount, SpentBudget } from "./limits-spent.ts";
import { RedisBatches } from "./redis-batches.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { BATCH, EXAMINE, PRIME, RENEW } from "./redis-scripts.ts";

/** Milliseconds after which a reservation lapses unless it is renewed. */
const LIFE_MS = 60_000;
const RENEW_MS = 20_000;
/** Milliseconds between two reports that this replica is running. */
const SIGN_MS = 5_000;
/** Milliseconds that the account of a period is kept after its end. */
const KEPT_MS = 2 * 86_400_000;

export interface RedisLimitsOptions {
  /** Identifies this process among the replicas. */
  readonly replica: string;
  readonly onLost: (lost: LostReservation) => void;
  readonly now?: () => number;
}

/**
 * A limit store in Redis. Its functions reject if Redis is unreachable; all except `settle` and `charge` also reject if
 * Redis does not respond in time.
 */
export interface RedisLimits extends LimitStore {
  /** Number of replicas that were seen in the last minute, at least 1. */
  readonly replicas: number;
  /** Charges the amounts spent while Redis was unreachable. */
  charge(subjects: readonly Subject[], micros: number): Promise<void>;
  /** Ends a reservation. `isAgain`: an attempt without a reply may have ended it already. */
  settle(reservation: Reservation, used: Usage, isAgain?: boolean): Promise<void>;
  /**
   * Returns the missing accounts, an id that changes when Redis loses its data, and the number of replicas that Redis
   * has seen.
   */
  examine(accounts: readonly BudgetAccount[]): Promise<ExaminedData>;
  prime(spent: SpentBudget): Promise<PrimedAccount>;
}

/**
 * `isNew` is true if the account has just been set to the ledger's amount. `setAt` is when it was set (milliseconds
 * since 1970 by this process's clock); undefined if it never was.
 */
export interface PrimedAccount {
  readonly isNew: boolean;
  readonly setAt: number | undefined;
}

export interface ExaminedData {
  readonly dataId: string;
  readonly replicas: number;
  readonly missing: readonly BudgetAccount[];
}

/** Creates a store that counts in Redis, for all replicas. Calls of one turn of the event loop share a round trip. */
export function createRedisLimits(redis: RedisConnection, options: RedisLimitsOptions): RedisLimits {
  return new RedisLimitStore(redis, options);
}

class RedisLimitStore implements RedisLimits {
  readonly keepsMeta = true;
  replicas = 1;
  /** Open reservations and when each must end, in milliseconds since 1970. */
  private readonly open = new Map<string, number>();
  private readonly timers: NodeJS.Timeout[];
  private readonly now: () => number;
  private readonly batches: RedisBatches;
  /** The JSON of each subject, and the end of its validity in milliseconds since 1970. */
  private readonly texts = new WeakMap<Subject, { readonly text: string; readonly until: number }>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly options: RedisLimitsOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.batches = new RedisBatches(redis, {
      script: SCRIPTS.batch,
      formatSubject: (subject) => this.formatSubject(subject),
      onResult: (replicas, lost) => {
        this.replicas = Math.max(1, replicas);
        if (lost.length > 0) this.reportLost(lost);
      },
    });
    this.timers = [
      setInterval(() => this.renew([...this.open]), RENEW_MS).unref(),
      setInterval(() => this.renew([]), SIGN_MS).unref(),
    ];
    redis.onConnect(() => this.renew([...this.open]));
  }

  reserve(reservation: Reservation): Promise<Decision> {
    const { id, subjects, totalMs, meta } = reservation;
    const lifeMs = totalMs > 0 ? Math.min(LIFE_MS, totalMs) : LIFE_MS;
    return this.decide(`${formatNumbers(reservation)},"lifeMs":${lifeMs}`, subjects, meta, (decision) => {
      if (decision.excess === undefined)
        this.open.set(id, totalMs > 0 ? this.now() + totalMs : Number.POSITIVE_INFINITY);
    });
  }

  settle(reservation: Reservation, { tokens, micros }: Usage, isAgain = false): Promise<void> {
    this.open.delete(reservation.id);
    const again = isAgain ? ',"again":true' : "";
    const members = `${formatNumbers(reservation)},"usedTokens":${tokens},"usedMicros":${micros}${again}`;
    return this.end(members, reservation.subjects);
  }

  charge(subjects: readonly Subject[], micros: number): Promise<void> {
    return this.end(`{"usedTokens":0,"usedMicros":${micros}`, subjects);
  }

  async read(subjects: readonly Subject[]): Promise<readonly SubjectState[]> {
    return (await this.decide('{"tokens":0', subjects)).states;
  }

  async prime({ subject, period, start, micros, isAdded }: SpentBudget): Promise<PrimedAccount> {
    const { end } = periodAt(period, start);
    const until = end === undefined ? "" : String(end + KEPT_MS);
    const reply = await this.redis.run(SCRIPTS.prime, [
      `${subject}:${period}:${start}`,
      String(micros),
      until,
      isAdded ? "1" : "",
    ]);
    const [isNew, age = -1] = (reply as readonly (number | string)[]).map(Number);
    return { isNew: isNew === 1, setAt: age < 0 ? undefined : this.now() - age };
  }

  async examine(accounts: readonly BudgetAccount[]): Promise<ExaminedData> {
    const now = this.now();
    const keys = accounts.map(({ subject, period }) => `${subject}:${period}:${periodAt(period, now).start}`);
    const reply = await this.redis.run(SCRIPTS.examine, [randomBytes(8).toString("hex"), ...keys]);
    const [replicas, dataId, ...existing] = reply as readonly (string | number)[];
    const missing = accounts.filter((_, index) => existing[index] !== 1);
    return { replicas: Number(replicas), dataId: String(dataId), missing };
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Runs an operation that reserves or reads. `onDecision` is called before the promise resolves. */
  private decide(
    members: string,
    subjects: readonly Subject[],
    meta?: string,
    onDecision?: (decision: Decision) => void,
  ): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const finish = (result: readonly number[]) => {
        const decision = readDecision(result, subjects);
        onDecision?.(decision);
        resolve(decision);
      };
      this.batches.add({ members, subjects, meta, hasTimeLimit: true, resolve: finish, reject });
    });
  }

  private end(members: string, subjects: readonly Subject[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = () => resolve();
      this.batches.add({ members, subjects, meta: undefined, hasTimeLimit: false, resolve: finish, reject });
    });
  }

  private renew(open: readonly (readonly [id: string, end: number])[]): void {
    const now = this.now();
    const ids = open.flatMap(([id, end]) => [id, String(Math.max(0, Math.min(LIFE_MS, end - now)))]);
    this.redis
      .run(SCRIPTS.renew, [this.options.replica, ...ids])
      .then((reply) => {
        const [replicas, ...lost] = reply as (number | string)[];
        this.replicas = Math.max(1, Number(replicas));
        this.reportLost(lost.map(String));
      })
      // While Redis is unreachable, reservations can lapse. They are charged when they end.
      .catch(() => {});
  }

  private reportLost(records: readonly string[]): void {
    for (const text of records) {
      const record = JSON.parse(text) as { id: string; i: number; meta?: string };
      this.options.onLost({ id: record.id, micros: record.i, meta: record.meta });
    }
  }

  /** Returns a subject as JSON, which is cached, because it changes only with its periods. */
  private formatSubject(subject: Subject): string {
    const now = this.now();
    const known = this.texts.get(subject);
    if (known !== undefined && now < known.until) return known.text;
    const { id, limits } = subject;
    const { rpm, tpm, concurrency, budgets = [] } = limits;
    const ends = budgets.map(({ period }) => periodAt(period, now).end ?? Number.POSITIVE_INFINITY);
    const text = JSON.stringify({
      ...{ id, rpm, tpm, concurrency },
      budgets: budgets.map(({ usd, period }) => ({
        period,
        micros: toMicros(usd),
        starts: startsAround(period, now),
      })),
    });
    this.texts.set(subject, { text, until: Math.min(Number.POSITIVE_INFINITY, ...ends) });
    return text;
  }
}

const LIMITS: readonly LimitName[] = ["concurrency", "rpm", "tpm", "budget"];

/** A script, and the digest under which Redis caches it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function toScript(text: string): Script {
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

const SCRIPTS = {
  batch: toScript(BATCH),
  renew: toScript(RENEW),
  prime: toScript(PRIME),
  examine: toScript(EXAMINE),
};

/** Returns the members of a reservation that the script needs to begin or end it, as JSON without the closing brace. */
function formatNumbers({ id, calls, tokens, micros, inputMicros }: Reservation): string {
  const counted = calls === 1 ? "" : `,"calls":${calls}`;
  return `{"id":"${id}"${counted},"tokens":${tokens},"micros":${micros},"inputMicros":${inputMicros}`;
}

/** Reads the script's result: the excess, if any, then the state of each limit in the order of the subjects. */
function readDecision(result: readonly number[], subjects: readonly Subject[]): Decision {
  const reply = new Reply(result);
  const name = LIMITS[reply.number() - 1];
  const excess: Excess | undefined =
    name === undefined
      ? undefined
      : {
          limit: name,
          subject: reply.number() - 1,
          budget: reply.number() - 1,
          retryMs: reply.number(),
          neverFits: reply.number() === 1,
        };
  return { excess, states: subjects.map(({ limits }) => readState(reply, limits)) };
}

/** Reads a script's result from front to back. */
class Reply {
  private at = 0;

  constructor(private readonly items: readonly number[]) {}

  number(): number {
    const item = this.items[this.at] ?? 0;
    this.at += 1;
    return item;
  }
}

function readState(reply: Reply, { rpm, tpm, concurrency, budgets }: Limits): SubjectState {
  return {
    rpm: rpm === undefined ? undefined : readRate(reply),
    tpm: tpm === undefined ? undefined : readRate(reply),
    concurrency: concurrency === undefined ? undefined : { remaining: reply.number() },
    budgets: budgets === undefined ? NO_BUDGETS : budgets.map(() => readBudget(reply)),
  };
}

const NO_BUDGETS: readonly BudgetState[] = [];

function readRate(reply: Reply): RateState {
  return { remaining: reply.number(), resetMs: reply.number() };
}

function readBudget(reply: Reply): BudgetState {
  const remainingMicros = reply.number();
  const end = reply.number();
  return { remainingMicros, resetsAt: end < 0 ? undefined : end };
}
