import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { Resting } from "../dashboard/api-types.ts";
import { isUnreachable } from "../upstream/upstream-errors.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { pauseOf, type Tried } from "./retry-after.ts";
import type { Place, Places } from "./select-targets.ts";

/** A place that could not serve lately. */
export interface RestingPlace extends Resting {
  /** Its name. */
  readonly upstream: string;
}

/** Where a try was made, and with which key. */
export interface TriedPlace extends Place {
  readonly key: string | undefined;
}

/**
 * Which upstreams and keys could not serve lately. They are asked after all others until their time is over, so that
 * not every call has to find out anew; nothing is refused for it, and the first success ends it.
 */
export interface Rests {
  /** Takes note of how a try ended. */
  learn(place: TriedPlace, tried: Tried): void;
  /** The same places, those that rest last. */
  awakeFirst(places: Places): Places;
  /** The same keys of a place, those that rest last. */
  awakeKeysFirst(place: Place, keys: readonly string[]): readonly string[];
  list(): RestingPlace[];
  /** What was learned holds no more: the configuration is another. */
  clear(): void;
}

/** Milliseconds; vendors say themselves how long limits last, if they do. */
const UNREACHABLE_MS = 10_000;
const LIMITED_MS = 10_000;
const REFUSED_MS = 60_000;
/** However long a vendor asks for: some say days. */
const LONGEST_MS = 300_000;
/** Models' names come from clients. */
const MOST = 1_000;

/** Nothing rests yet; `now` is milliseconds since 1970. */
export function createRests(now: () => number = Date.now): Rests {
  return new RestingPlaces(now);
}

class RestingPlaces implements Rests {
  private readonly now: () => number;
  private readonly resting = new Map<string, RestingPlace>();
  private readonly breaker: CircuitBreaker;

  constructor(now: () => number) {
    this.now = now;
    this.breaker = new CircuitBreaker(now);
  }

  learn({ upstream, key, model }: TriedPlace, tried: Tried): void {
    const { name, keys, credentials } = upstream;
    this.judge(name, tried);
    if (tried.kind === "answered" && this.resting.size > 0) {
      this.resting.delete(name);
      this.resting.delete(keyId(name, key, model));
    } else if (tried.kind === "failed" && isUnreachable(tried.fault)) {
      this.rest(name, { upstream: name, until: this.now() + UNREACHABLE_MS });
    } else if (tried.kind === "refused" && credentials === "config") {
      const { status } = tried;
      const ms = restMs(status, pauseOf(tried, this.now()));
      if (ms === undefined) return;
      const which = key !== undefined && keys.length > 1 && keys.indexOf(key) + 1;
      const until = this.now() + ms;
      const place = { upstream: name, ...(which && { key: which }), model, status, until };
      this.rest(keyId(name, key, model), place);
    }
  }

  awakeFirst(places: Places): Places {
    if (this.resting.size === 0 && this.breaker.isIdle) return places;
    const [first = places[0], ...others] = lastWhere(
      places,
      (place) => this.breaker.isOpen(place.upstream.name) || this.isPlaceResting(place),
    );
    this.breaker.begin(first.upstream.name);
    return [first, ...others];
  }

  awakeKeysFirst({ upstream, model }: Place, keys: readonly string[]): readonly string[] {
    if (this.resting.size === 0) return keys;
    return lastWhere(keys, (key) => this.isKeyResting(upstream, key, model));
  }

  list(): RestingPlace[] {
    const limited = [...this.resting].filter(([id]) => this.isResting(id)).map(([, place]) => place);
    const failing = this.breaker
      .list()
      .map(({ upstream, until, status }) => ({ upstream, until, ...(status !== undefined && { status }) }));
    return [...limited, ...failing];
  }

  clear(): void {
    this.resting.clear();
    this.breaker.clear();
  }

  /** An upstream that answers serves, whatever it says of the call; one that is slow, broken or down fails. */
  private judge(name: string, tried: Tried): void {
    if (tried.kind === "gone") this.breaker.release(name);
    else if (tried.kind === "failed" && tried.fault.code === "client_gone") this.breaker.release(name);
    else if (tried.kind === "failed" || tried.kind === "broken") this.breaker.fail(name, undefined);
    else if (tried.kind === "refused" && tried.status >= 500) this.breaker.fail(name, tried.status);
    else this.breaker.succeed(name);
  }

  private isResting(id: string): boolean {
    const place = this.resting.get(id);
    if (place === undefined || place.until > this.now()) return place !== undefined;
    this.resting.delete(id);
    return false;
  }

  private isKeyResting({ name }: UpstreamConfig, key: string | undefined, model: string): boolean {
    return this.isResting(keyId(name, key, model));
  }

  private isPlaceResting({ upstream, model }: Place): boolean {
    if (this.isResting(upstream.name)) return true;
    const keys = upstream.keys.length === 0 ? [undefined] : upstream.keys;
    return keys.every((key) => this.isKeyResting(upstream, key, model));
  }

  private rest(id: string, place: RestingPlace): void {
    if (this.resting.size >= MOST) for (const known of [...this.resting.keys()]) this.isResting(known);
    if (this.resting.size < MOST || this.resting.has(id)) this.resting.set(id, place);
  }
}

/** For how long what was refused with this status rests; undefined where another call may fare better at once. */
function restMs(status: number, asked: number | undefined): number | undefined {
  if (status === 401 || status === 402 || status === 403) return REFUSED_MS;
  if (status !== 429 && status !== 503 && status !== 529) return undefined;
  return Math.min(asked ?? LIMITED_MS, LONGEST_MS);
}

function keyId(upstream: string, key: string | undefined, model: string): string {
  return `${upstream}\n${key ?? ""}\n${model}`;
}

/** In the same order, but for those that fit, which come last. */
function lastWhere<Item>(list: readonly Item[], fits: (one: Item) => boolean): Item[] {
  return list.toSorted((one, other) => Number(fits(one)) - Number(fits(other)));
}
