import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { mayTryAgain } from "../upstream/upstream-errors.ts";
import type { Rests } from "./cooldowns.ts";
import { pauseOf, type Tried } from "./retry-after.ts";
import type { Place, Places } from "./select-targets.ts";
import { inSessionOrder, sessionOf } from "./session-affinity.ts";

/** What the tries of one call go by. */
export interface TryNeeds {
  /** The client's, which may name its session. */
  readonly headers: IncomingHttpHeaders;
  readonly rests: Rests;
}

/** One try at a call: where, with which key, and what is left to try. */
export interface Try {
  readonly upstream: UpstreamConfig;
  /** The model's name there. */
  readonly model: string;
  readonly key: string | undefined;
  readonly delayMs: number;
  /** Other keys of this upstream, then other places. */
  readonly otherKeys: readonly string[];
  readonly otherPlaces: readonly Place[];
  /** Tries at the same place that may still be made. */
  readonly repeats: number;
  readonly needs: TryNeeds;
}

const REPEATS = 2;
/** An upstream that wants a longer pause than this gets it from the client. */
const LONGEST_PAUSE_MS = 20_000;

const turns = new WeakMap<UpstreamConfig, number>();

/** The first try, at the first place. Of its keys a session keeps to one; calls without a session take turns. */
export function planTries([first, ...others]: Places, needs: TryNeeds): Try {
  return beginAt(first, others, REPEATS, needs);
}

/** Whether one place takes the translated request that was made for the other. */
export function takesTheSame(one: Place, other: Place): boolean {
  return one.model === other.model && one.upstream.dialect === other.upstream.dialect;
}

/** What is left to be asked, from this try on. */
export function placesFrom({ upstream, model, otherPlaces }: Try): Places {
  return [{ upstream, model }, ...otherPlaces];
}

/**
 * What to try after this outcome, or undefined where it is the answer. A refused key is followed by the next key, a
 * failing upstream by the next upstream; the same place is tried again where connecting failed, or where it asks for
 * that itself with a short `retry-after`.
 */
export function nextTry(last: Try, outcome: Tried, random: () => number = Math.random): Try | undefined {
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return undefined;
  const pause = (REPEATS - last.repeats + 1) * 100 * (1 + random());
  if (outcome.kind === "failed") {
    const again = mayTryAgain(outcome.fault);
    const elsewhere = atNextUpstream(last);
    if (elsewhere) return elsewhere;
    return again && last.repeats > 0 ? { ...last, delayMs: pause, repeats: last.repeats - 1 } : undefined;
  }
  const { status } = outcome;
  const isKeyTrouble = status === 401 || status === 402 || status === 403 || status === 429;
  const [key, ...otherKeys] = last.otherKeys;
  if (isKeyTrouble && key !== undefined) return { ...last, key, otherKeys, delayMs: 0 };
  if (isKeyTrouble || status >= 500) {
    const elsewhere = atNextUpstream(last);
    if (elsewhere) return elsewhere;
  }
  const asked = pauseOf(outcome);
  if (asked === undefined || asked > LONGEST_PAUSE_MS) return undefined;
  if (last.repeats === 0 || ![429, 502, 503, 529].includes(status)) return undefined;
  return { ...last, delayMs: asked + pause, repeats: last.repeats - 1 };
}

function atNextUpstream(last: Try): Try | undefined {
  const [place, ...others] = last.otherPlaces;
  return place && beginAt(place, others, last.repeats, last.needs);
}

const NONE: readonly never[] = [];

function beginAt(place: Place, otherPlaces: readonly Place[], repeats: number, needs: TryNeeds): Try {
  const { upstream, model } = place;
  const { keys } = upstream;
  if (keys.length < 2)
    return { upstream, model, key: keys[0], otherKeys: NONE, delayMs: 0, otherPlaces, repeats, needs };
  const session = sessionOf(needs.headers);
  const ordered = session === undefined ? inTurn(upstream) : inSessionOrder(keys, session, placeName);
  const [key, ...otherKeys] = needs.rests.awakeKeysFirst(place, ordered);
  return { upstream, model, key, otherKeys, delayMs: 0, otherPlaces, repeats, needs };
}

/** Keys go by their place: where one is exchanged, its sessions stay. */
function placeName(_key: string, index: number): string {
  return String(index);
}

function inTurn(upstream: UpstreamConfig): readonly string[] {
  const { keys } = upstream;
  const turn = turns.get(upstream) ?? 0;
  turns.set(upstream, (turn + 1) % keys.length);
  return [...keys.slice(turn), ...keys.slice(0, turn)];
}
