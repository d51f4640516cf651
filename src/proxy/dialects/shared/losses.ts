import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import type { Dialect, Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/** Members that only another dialect has: told one by one, under the member's own name. */
export function addForeignExtensions(request: ExchangeRequest, target: Dialect, losses: LossList): void {
  for (const [dialect, members] of Object.entries(request.extensions)) {
    if (dialect === target) continue;
    for (const name of Object.entries(members ?? {}).flatMap(namesIn)) {
      losses.add(memberCode(name), `${target} has no ${name}.`);
    }
  }
}

/** Members that only gather others (generative-language) are told by what they hold. */
function namesIn([name, value]: readonly [string, unknown]): readonly string[] {
  return (name === "generationConfig" || name === "toolConfig") && isObject(value)
    ? Object.keys(value)
    : [name];
}

/** Breakpoints for a prompt cache are a thing of the messages dialect. */
export function addCacheHints(request: ExchangeRequest, losses: LossList): void {
  const hinted = (parts: readonly Part[]): boolean => parts.some((part) => part.cache !== undefined);
  if (hinted(request.instructions) || request.turns.some((turn) => hinted(turn.parts))) {
    losses.add("cache-control", "The upstream caches prompts by itself; breakpoints mean nothing to it.");
  }
}
