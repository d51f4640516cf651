import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { type LossCode, memberCode } from "../../exchange/loss-codes.ts";
import type { Dialect, Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/** Members that only another dialect has: told one by one, under the member's own name. */
export function addForeignExtensions(request: ExchangeRequest, target: Dialect, losses: LossList): void {
  for (const [dialect, members] of Object.entries(request.extensions)) {
    if (dialect === target) continue;
    for (const [name, value] of Object.entries(members ?? {}).flatMap(membersIn)) {
      const code = memberCode(name);
      if (!asksForNothing(code, value)) losses.add(code, `${target} has no ${name}.`);
    }
  }
}

/** Members that only gather others (generative-language) are told by what they hold. */
function membersIn([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] {
  return (name === "generationConfig" || name === "toolConfig") && isObject(value)
    ? Object.entries(value)
    : [[name, value]];
}

/** Breakpoints for a prompt cache are a thing of the messages dialect. */
export function addCacheHints(request: ExchangeRequest, losses: LossList): void {
  const hinted = (parts: readonly Part[]): boolean => parts.some((part) => part.cache !== undefined);
  if (hinted(request.instructions) || request.turns.some((turn) => hinted(turn.parts))) {
    losses.add("cache-control", "The upstream caches prompts by itself; breakpoints mean nothing to it.");
  }
}

/** Whether a member asks for what every upstream does anyway, so that leaving it out loses nothing. */
export function asksForNothing(code: LossCode, value: unknown): boolean {
  if (code === "store" || code === "background") return value === false;
  if (code === "truncation") return value === "disabled";
  if (code === "service-tier") return value === "auto" || value === "default";
  if (code === "verbosity") return value === "medium";
  if (code === "modalities")
    return Array.isArray(value) && value.every((one) => String(one).toLowerCase() === "text");
  return code === "metadata" && isObject(value) && Object.keys(value).length === 0;
}

/** Tells that a file was left out, as its id means nothing to this vendor. */
export function loseForeignFile(losses: LossList): undefined {
  losses.add("file-reference", "A file reference dropped: the file is at another vendor.");
}
