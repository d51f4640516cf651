/**
 * Something the target dialect cannot say. Losses are values: listed in `x-sallyport-losses` and the request log,
 * refused with 400 under `strict_translation`.
 */
export interface Loss {
  /** Short, stable, kebab-case: `reasoning-signature`, `cache-control`, `top-k`. */
  readonly code: string;
  /** One sentence for the log. */
  readonly detail: string;
}

/** What a conversion gives: the value, and what it could not carry. */
export interface Converted<Value> {
  readonly value: Value;
  readonly losses: readonly Loss[];
}
