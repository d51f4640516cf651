import type { Reservation } from "../gateway/limits.ts";
import type { CallMeta } from "../gateway/lost-calls.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";
import { type Estimate, type EstimatedCost, NO_COST } from "./estimate-reservation.ts";

/** Holds a reservation at the current upstream. */
export interface UpstreamHold {
  upstream: Reservation | undefined;
}

/** The reservations of a call. Calls without limits have none. */
export interface CallLimits extends UpstreamHold {
  readonly estimate: Estimate;
  /** The reservation of the key and its team. */
  key: Reservation | undefined;
  /** The cost that is reserved for the key and its team: that of the most expensive target so far. */
  cost: EstimatedCost;
  /**
   * Reservations of the additional cost and tokens of targets that are more expensive, or need more tokens, than those
   * before them.
   */
  dearer: Reservation[] | undefined;
  /** The tokens that are reserved for the key and its team: those of the largest estimate so far. */
  tokens: number;
  /** Tokens that were charged to upstreams that the call has left. */
  leftTokens: number;
  /** Number of reservations so far, without that of the key. */
  count: number;
  /** The upstream calls that are sent at once; undefined if there is only one. */
  separate: SeparateCalls | undefined;
}

/**
 * Upstream calls that are sent at once, one for each candidate or image. `CallLimits.upstream` is the reservation of
 * their first attempts. A call that is repeated or continues at another upstream has its own reservation.
 */
export interface SeparateCalls {
  readonly count: number;
  readonly holds: readonly UpstreamHold[];
}

/** Returns the limits of a call without reservations. */
export function beginLimits(estimate: Estimate): CallLimits {
  return {
    estimate,
    key: undefined,
    cost: NO_COST,
    dearer: undefined,
    tokens: 0,
    leftTokens: 0,
    upstream: undefined,
    count: 0,
    separate: undefined,
  };
}

/** The members of a call that `formatCallMeta` reads. */
export type DescribedCall = Pick<Call, "id" | "key" | "client" | "request" | "route" | "model" | "stream">;

/** Formats the `CallMeta` of a call as JSON, for a replica that later finds the call lost. */
export function formatCallMeta(
  { id, key, client, request, route, model, stream }: DescribedCall,
  target: Target,
): string {
  const meta: CallMeta = {
    time: new Date().toISOString(),
    id,
    key: key?.name,
    key_id: key?.id,
    team: key?.team,
    tags: key?.tags,
    client,
    method: request.method ?? "",
    route: route.path,
    model,
    upstream: target.upstream.name,
    upstream_model: target.model,
    stream,
  };
  return JSON.stringify(meta);
}
