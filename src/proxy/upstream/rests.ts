import type { UpstreamConfig } from "../../config/proxy-config.ts";
import type { Resting } from "../dashboard/api-types.ts";
import type { Place, Places } from "../models/select.ts";
import { isUnreachable } from "./faults.ts";
import { pauseOf, type Tried } from "./tried.ts";

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

export function createRests(now: () => number = Date.now): Rests {
  const resting = new Map<string, RestingPlace>();
  const isResting = (id: string): boolean => {
    const place = resting.get(id);
    if (place === undefined || place.until > now()) return place !== undefined;
    resting.delete(id);
    return false;
  };
  const isKeyResting = ({ name }: UpstreamConfig, key: string | undefined, model: string) =>
    isResting(keyId(name, key, model));
  const isPlaceResting = ({ upstream, model }: Place): boolean => {
    if (isResting(upstream.name)) return true;
    const keys = upstream.keys.length === 0 ? [undefined] : upstream.keys;
    return keys.every((key) => isKeyResting(upstream, key, model));
  };
  const rest = (id: string, place: RestingPlace): void => {
    if (resting.size >= MOST) for (const known of [...resting.keys()]) isResting(known);
    if (resting.size < MOST || resting.has(id)) resting.set(id, place);
  };
  return {
    learn({ upstream, key, model }, tried) {
      const { name, keys, credentials } = upstream;
      if (tried.kind === "answered" && resting.size > 0) {
        resting.delete(name);
        resting.delete(keyId(name, key, model));
      } else if (tried.kind === "failed" && isUnreachable(tried.fault)) {
        rest(name, { upstream: name, until: now() + UNREACHABLE_MS });
      } else if (tried.kind === "refused" && credentials === "config") {
        const { status } = tried;
        const ms = restMs(status, pauseOf(tried, now()));
        if (ms === undefined) return;
        const which = key !== undefined && keys.length > 1 && keys.indexOf(key) + 1;
        rest(keyId(name, key, model), {
          upstream: name,
          ...(which && { key: which }),
          model,
          status,
          until: now() + ms,
        });
      }
    },
    awakeFirst: (places) =>
      resting.size === 0 ? places : (lastWhere(places, isPlaceResting) as [Place, ...Place[]]),
    awakeKeysFirst: ({ upstream, model }, keys) =>
      resting.size === 0 ? keys : lastWhere(keys, (key) => isKeyResting(upstream, key, model)),
    list: () => [...resting].filter(([id]) => isResting(id)).map(([, place]) => place),
    clear: () => resting.clear(),
  };
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
