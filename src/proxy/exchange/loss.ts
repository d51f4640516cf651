import type { LossCode } from "./loss-codes.ts";

/**
 * A part of a call that the target dialect cannot express. `x-sallyport-losses` and the request log list the losses.
 * With `strict_translation`, a call with losses is rejected with 400; if its stream has begun, the stream ends with an
 * error.
 */
export interface Loss {
  readonly code: LossCode;
  /** Describes the loss in one sentence. */
  readonly detail: string;
}

/** The result of a conversion and its losses. */
export interface Converted<Value> {
  readonly value: Value;
  readonly losses: readonly Loss[];
}

/** Collects the losses of one conversion; keeps the first loss of each code. */
export interface LossList {
  add(code: LossCode, detail: string): void;
  readonly losses: readonly Loss[];
}

/** Creates an empty list. */
export function createLossList(): LossList {
  return new CollectedLosses();
}

/**
 * A class, because V8 retains an object whose getter is its own property, and all that the getter refers to, until the
 * next full garbage collection (bench/proxy/memory.mjs).
 */
class CollectedLosses implements LossList {
  private readonly byCode = new Map<LossCode, Loss>();

  add(code: LossCode, detail: string): void {
    if (!this.byCode.has(code)) this.byCode.set(code, { code, detail });
  }

  get losses(): readonly Loss[] {
    return [...this.byCode.values()];
  }
}
