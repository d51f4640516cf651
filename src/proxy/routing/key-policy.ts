import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { Cooldowns } from "./cooldowns.ts";
import type { Target } from "./select-targets.ts";
import { inSessionOrder } from "./session-affinity.ts";

/** Decides which of an upstream's keys a call uses. */
export interface KeyPolicy {
  /** Returns a target's keys in the order in which attempts use them. `session` is the client's session id, if any. */
  order(target: Target, session: string | undefined): readonly string[];
}

/**
 * Creates the policy of one proxy: a session keeps its key, calls without a session rotate through the keys, and keys
 * in cooldown come last.
 */
export function createKeyPolicy(cooldowns: Pick<Cooldowns, "availableKeysFirst">): KeyPolicy {
  const turns = new WeakMap<UpstreamConfig, number>();
  const inTurn = (upstream: UpstreamConfig): readonly string[] => {
    const { keys } = upstream;
    const turn = turns.get(upstream) ?? 0;
    turns.set(upstream, (turn + 1) % keys.length);
    return [...keys.slice(turn), ...keys.slice(0, turn)];
  };
  return {
    order(target, session) {
      const { upstream } = target;
      const { keys } = upstream;
      if (keys.length < 2) return keys;
      // Keys are identified by their position, so that sessions do not move when a key is replaced.
      const byPosition = (_key: string, index: number) => String(index);
      const ordered = session === undefined ? inTurn(upstream) : inSessionOrder(keys, session, byPosition);
      return cooldowns.availableKeysFirst(target, ordered);
    },
  };
}
