import type { Duplex } from "node:stream";
import type { Subject } from "../../config/proxy/limits.ts";
import type { LimitName, Reservation } from "../gateway/limits.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import type { LimitQueue } from "../gateway/queue.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Runtime } from "../runtime.ts";
import { beginLimits, type CallLimits, type DescribedCall, formatCallMeta } from "./call-limits.ts";
import { NOTHING } from "./estimate-reservation.ts";
import { disconnectSignal, UPSTREAM_LIMITS } from "./limit-upstream.ts";

/** A WebSocket that is counted against limits. */
export interface LimitedWebSocket extends DescribedCall {
  readonly runtime: Runtime;
  /** The client's connection. */
  readonly socket: Duplex;
  limits: CallLimits | undefined;
}

/** Counts a WebSocket against the limits of its key, team and upstream (`Limiter.reserveWebSocket`). */
export async function reserveWebSocket(
  queue: LimitQueue,
  call: LimitedWebSocket,
  target: Target,
): Promise<void> {
  const { id, key, runtime, socket } = call;
  const limits = beginLimits(NOTHING);
  call.limits = limits;
  const reserve = async (
    subjects: readonly Subject[],
    waitsFor: readonly LimitName[],
    own: Pick<Reservation, "id" | "meta">,
  ): Promise<Reservation> => {
    // `timeouts.total` does not apply, because a WebSocket serves many requests of the client.
    const reservation = { ...own, subjects, calls: 1, tokens: 0, micros: 0, inputMicros: 0, totalMs: 0 };
    const { excess } = await queue.reserve(reservation, runtime.config.queue, waitsFor, () =>
      disconnectSignal(socket),
    );
    if (excess !== undefined) throw createLimitError(excess, reservation, Date.now());
    return reservation;
  };
  if (key?.subjects !== undefined) {
    const meta = queue.store.keepsMeta ? formatCallMeta(call, target) : undefined;
    limits.key = await reserve(key.subjects, ["concurrency"], { id, meta });
  }
  const { subject } = target.upstream;
  if (subject !== undefined) limits.upstream = await reserve([subject], UPSTREAM_LIMITS, { id: `${id}/1` });
}
