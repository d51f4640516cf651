import type { LostReservation } from "./limits.ts";
import { toUsd } from "./limits.ts";

/** The members of a call's log line that its reservation keeps in case the process ends before the call does. */
export interface CallMeta {
  readonly time: string;
  readonly id: string;
  readonly key?: string | undefined;
  readonly key_id?: string | undefined;
  readonly team?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly client: string;
  readonly method: string;
  readonly route: string;
  readonly model?: string | undefined;
  readonly upstream?: string | undefined;
  readonly upstream_model?: string | undefined;
  readonly stream: boolean;
}

/**
 * Returns the log line of a call whose process ended before the call did; undefined for a reservation without metadata.
 * The ledger reads this line like any other; if the process has logged the call itself, the first line is used.
 */
export function lostCallLine({ micros, meta }: LostReservation, now: number): string | undefined {
  if (meta === undefined) return undefined;
  const call = JSON.parse(meta) as CallMeta;
  return JSON.stringify({
    ...call,
    status: 500,
    ms: Math.max(0, now - Date.parse(call.time)),
    cost: toUsd(micros),
    error_code: "lost",
    fault: "The process that served the call ended before the call did; the estimated input was charged",
  });
}
