import type { Dialect } from "../exchange/parts.ts";

/** How a dialect tells how many tokens a request has. */
export function countAnswer(dialect: Dialect, tokens: number): Readonly<Record<string, unknown>> {
  if (dialect === "generative-language") return { totalTokens: tokens };
  return dialect === "responses"
    ? { object: "response.input_tokens", input_tokens: tokens }
    : { input_tokens: tokens };
}
