import type { ToolCallPart } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/**
 * Custom tools take free text. Dialects that know functions only are given a function with the one argument `input`
 * instead; here its call becomes a custom call again, where the client declared the tool as one.
 */
export function isCustomCall(part: Pick<ToolCallPart, "name" | "custom">, request: ExchangeRequest): boolean {
  if (part.custom === true) return true;
  return request.tools.some((tool) => tool.type === "custom" && tool.name === part.name);
}

/** The free text of a custom call; the argument text itself where it is not the one argument `input`. */
export function unwrapCustomInput(part: Pick<ToolCallPart, "arguments" | "custom">): string {
  if (part.custom === true) return part.arguments;
  try {
    const value: unknown = JSON.parse(part.arguments);
    const isWrapped = typeof value === "object" && value !== null && "input" in value;
    return isWrapped && typeof value.input === "string" ? value.input : part.arguments;
  } catch {
    return part.arguments;
  }
}
