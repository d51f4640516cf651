import type { LossCode } from "./loss-codes.ts";

/**
 * Something the target dialect cannot say. Losses are values: listed in `x-sallyport-losses` and the request log,
 * refused with 400 under `strict_translation`.
 */
export interface Loss {
  readonly code: LossCode;
  /** One sentence for the log. */
  readonly detail: string;
}

/** What a conversion gives: the value, and what it could not carry. */
export interface Converted<Value> {
  readonly value: Value;
  readonly losses: readonly Loss[];
}

/** Collects the losses of one conversion, each code once: a hundred cache hints are one thing to know. */
export interface LossList {
  add(code: LossCode, detail: string): void;
  readonly losses: readonly Loss[];
}

/** An empty list. */
export function createLossList(): LossList {
  const byCode = new Map<LossCode, Loss>();
  return {
    add: (code, detail) => {
      if (!byCode.has(code)) byCode.set(code, { code, detail });
    },
    get losses() {
      return [...byCode.values()];
    },
  };
}
