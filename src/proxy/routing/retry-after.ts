import type { AppError } from "../../errors.ts";

/** As much of a try's outcome as decides on the next. */
export type Tried =
  | { readonly kind: "answered" | "broken" | "gone" }
  | { readonly kind: "failed"; readonly fault: AppError }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: PauseHeaders;
      /** Milliseconds that its body asks for. */
      readonly pauseInBody?: number | undefined;
    };

/** Where an upstream says how long it wants to be left alone. */
export interface PauseHeaders {
  readonly "retry-after"?: string | undefined;
  readonly "retry-after-ms"?: string | string[] | undefined;
}

/** Milliseconds that a refusal asks for, in its headers or else in its body. */
export function pauseOf(refusal: Extract<Tried, { kind: "refused" }>, now?: number): number | undefined {
  return pauseAsked(refusal.headers, now) ?? refusal.pauseInBody;
}

/**
 * Milliseconds that an upstream's headers ask for. `retry-after` is seconds or a date (RFC 9110, section 10.2.3), `retry-after-ms`
 * what OpenAI and Azure say more exactly.
 */
export function pauseAsked(headers: PauseHeaders, now: number = Date.now()): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  const pause = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}
