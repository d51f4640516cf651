import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { CooldownState } from "../dashboard/api-types.ts";
import { isUnreachable } from "../upstream/upstream-errors.ts";
import { type AttemptOutcome, keyPosition } from "./attempts.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { requestedPause } from "./retry-after.ts";
import type { Target, Targets } from "./select-targets.ts";

/** An upstream, or one of its keys, in cooldown. */
export interface Cooldown extends CooldownState {
  /** The upstream's name. */
  readonly upstream: string;
}

/** The target of an attempt and the key that it used. */
export interface AttemptedTarget extends Target {
  readonly key: string | undefined;
}

/**
 * Tracks which upstreams and keys failed recently. Targets in cooldown are tried last, never skipped. A success ends
 * the cooldown.
 */
export interface Cooldowns {
  record(target: AttemptedTarget, outcome: AttemptOutcome): void;
  /**
   * Returns the targets in the same order, except that those in cooldown come last. If the cooldown of the first
   * target's circuit has ended, records the call as the circuit's probe.
   */
  availableFirst(targets: Targets): Targets;
  /** Returns a target's keys in the same order, except that those in cooldown come last. */
  availableKeysFirst(target: Target, keys: readonly string[]): readonly string[];
  list(): Cooldown[];
  /** Ends all cooldowns; called when the configuration changes. */
  clear(): void;
}

/** Cooldowns in milliseconds; `LIMITED_MS` applies if the vendor names no pause. */
const UNREACHABLE_MS = 10_000;
const LIMITED_MS = 10_000;
const REFUSED_MS = 60_000;
/** Maximum milliseconds of a cooldown, because a vendor's `retry-after` may be days. */
const MAX_COOLDOWN_MS = 300_000;
/** A cooldown that replaces another is published only if it ends more than this many milliseconds later. */
const REPEAT_MS = 1_000;
/** Maximum number of cooldowns. It limits the memory, because model names come from clients. */
const MAX_ENTRIES = 1_000;

/** A cooldown that has begun or ended, in the form that replicas share. */
export interface CooldownUpdate {
  readonly upstream: string;
  /** The position of the key, from 1; undefined if the upstream has at most one key, or for the upstream itself. */
  readonly key?: number | undefined;
  /** The model of a key's cooldown; undefined for the upstream itself. */
  readonly model?: string | undefined;
  readonly status?: number | undefined;
  /** The milliseconds of the circuit breaker's cooldown, 0 if the circuit has closed; undefined for other cooldowns. */
  readonly pauseMs?: number | undefined;
  /** The remaining milliseconds; 0 if the cooldown has ended. */
  readonly ms: number;
}

/** Shares cooldowns with other replicas. */
export interface CooldownShare {
  publish(update: CooldownUpdate): void;
  /** Calls `listener` with the updates of other replicas. */
  onUpdate(listener: (update: CooldownUpdate) => void): void;
  close(): void;
}

/** Creates an empty registry. `now` returns milliseconds since 1970. */
export function createCooldowns(now: () => number = Date.now, share?: CooldownShare): Cooldowns {
  return new MemoryCooldowns(now, share);
}

class MemoryCooldowns implements Cooldowns {
  private readonly now: () => number;
  private readonly entries = new Map<string, Cooldown>();
  private readonly breaker: CircuitBreaker;

  constructor(
    now: () => number,
    private readonly share: CooldownShare | undefined,
  ) {
    this.now = now;
    this.breaker = new CircuitBreaker(now);
    share?.onUpdate((update) => this.adopt(update));
  }

  record({ upstream, key, model }: AttemptedTarget, outcome: AttemptOutcome): void {
    const { name, keys, credentials } = upstream;
    this.updateBreaker(name, outcome);
    const position = keyPosition(keys, key);
    if (outcome.kind === "completed" && this.entries.size > 0) {
      this.end({ upstream: name });
      this.end({ upstream: name, key: position, model });
    } else if (outcome.kind === "failed" && isUnreachable(outcome.error)) {
      this.begin({ upstream: name, ms: UNREACHABLE_MS });
    } else if (outcome.kind === "refused" && credentials === "config") {
      const { status } = outcome;
      const ms = cooldownMs(status, requestedPause(outcome, this.now()));
      if (ms === undefined) return;
      this.begin({ upstream: name, key: position, model, status, ms });
    }
  }

  availableFirst(targets: Targets): Targets {
    if (this.entries.size === 0 && this.breaker.isIdle) return targets;
    const [first = targets[0], ...others] = lastWhere(
      targets,
      (target) => this.breaker.isOpen(target.upstream.name) || this.isTargetInCooldown(target),
    );
    this.breaker.begin(first.upstream.name);
    return [first, ...others];
  }

  availableKeysFirst({ upstream, model }: Target, keys: readonly string[]): readonly string[] {
    if (this.entries.size === 0) return keys;
    return lastWhere(keys, (key) => this.isKeyInCooldown(upstream, key, model));
  }

  list(): Cooldown[] {
    const limited = [...this.entries].filter(([id]) => this.isInCooldown(id)).map(([, entry]) => entry);
    const failing = this.breaker.list().map(({ upstream, until, status }) => ({ upstream, until, status }));
    return [...limited, ...failing];
  }

  clear(): void {
    this.entries.clear();
    this.breaker.clear();
  }

  /**
   * Updates the circuit breaker. A response with a status below 500 is a success; any other response, a broken
   * response, and the lack of a response are failures. A client disconnect is neither.
   */
  private updateBreaker(name: string, outcome: AttemptOutcome): void {
    if (outcome.kind === "disconnected") this.breaker.release(name);
    else if (outcome.kind === "failed" && outcome.error.code === "client_gone") this.breaker.release(name);
    else if (outcome.kind === "failed" || outcome.kind === "broken") this.fail(name, undefined);
    else if (outcome.kind === "refused" && outcome.status >= 500) this.fail(name, outcome.status);
    else if (this.breaker.succeed(name)) this.share?.publish({ upstream: name, pauseMs: 0, ms: 0 });
  }

  private fail(upstream: string, status: number | undefined): void {
    const opened = this.breaker.fail(upstream, status);
    if (opened === undefined) return;
    const { until, pauseMs } = opened;
    this.share?.publish({ upstream, status, pauseMs, ms: until - this.now() });
  }

  private begin(update: CooldownUpdate): void {
    const before = this.entries.get(toCooldownId(update))?.until ?? 0;
    this.add(update);
    // When many calls fail at once, the other replicas are informed only once.
    if (this.now() + update.ms > before + REPEAT_MS) this.share?.publish(update);
  }

  private end(target: Omit<CooldownUpdate, "ms">): void {
    if (this.entries.delete(toCooldownId(target))) this.share?.publish({ ...target, ms: 0 });
  }

  /** Applies an update of another replica. */
  private adopt(update: CooldownUpdate): void {
    const { upstream, status, pauseMs, ms } = update;
    const until = this.now() + ms;
    if (pauseMs !== undefined) {
      if (ms > 0) this.breaker.adopt(upstream, { until, pauseMs, status });
      else this.breaker.succeed(upstream);
    } else if (ms === 0) this.entries.delete(toCooldownId(update));
    else if ((this.entries.get(toCooldownId(update))?.until ?? 0) < until) this.add(update);
  }

  private isInCooldown(id: string): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined || entry.until > this.now()) return entry !== undefined;
    this.entries.delete(id);
    return false;
  }

  private isKeyInCooldown({ name, keys }: UpstreamConfig, key: string | undefined, model: string): boolean {
    const position = keyPosition(keys, key);
    return this.isInCooldown(toCooldownId({ upstream: name, key: position, model }));
  }

  private isTargetInCooldown({ upstream, model }: Target): boolean {
    if (this.isInCooldown(upstream.name)) return true;
    const keys = upstream.keys.length === 0 ? [undefined] : upstream.keys;
    return keys.every((key) => this.isKeyInCooldown(upstream, key, model));
  }

  private add({ upstream, key, model, status, ms }: CooldownUpdate): void {
    const id = toCooldownId({ upstream, key, model });
    const until = this.now() + ms;
    if (this.entries.size >= MAX_ENTRIES)
      for (const known of [...this.entries.keys()]) this.isInCooldown(known);
    if (this.entries.size < MAX_ENTRIES || this.entries.has(id))
      this.entries.set(id, { upstream, key, model, status, until });
  }
}

/** Returns the cooldown in milliseconds after a rejection; undefined if another call may succeed immediately. */
function cooldownMs(status: number, requested: number | undefined): number | undefined {
  if (status === 401 || status === 402 || status === 403) return REFUSED_MS;
  if (status !== 429 && status !== 503 && status !== 529) return undefined;
  return Math.min(requested ?? LIMITED_MS, MAX_COOLDOWN_MS);
}

/** Returns the id of the cooldown of an upstream, or of one of its keys for one model. */
function toCooldownId({ upstream, key, model }: Omit<CooldownUpdate, "ms">): string {
  return model === undefined ? upstream : `${upstream}\n${key ?? ""}\n${model}`;
}

/** Returns the list in the same order, except that the matching items come last. */
function lastWhere<Item>(list: readonly Item[], fits: (one: Item) => boolean): Item[] {
  return list.toSorted((one, other) => Number(fits(one)) - Number(fits(other)));
}
