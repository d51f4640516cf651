import { findTool } from "../../exchange/find-tool.ts";
import type { ToolCallPart } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";

/**
 * Returns whether the client declared this tool as a custom tool, whose input is free text. Its call can be a function
 * call: upstreams without custom tools receive a function with the argument `input` in place of the custom tool.
 */
export function isDeclaredCustom(name: string, { tools }: ExchangeRequest): boolean {
  return findTool(tools, "custom", name) !== undefined;
}

/** Returns whether a tool call is a custom call, or calls a tool that the client declared as custom. */
export function isCustomCall(part: Pick<ToolCallPart, "name" | "custom">, request: ExchangeRequest): boolean {
  return part.custom === true || isDeclaredCustom(part.name, request);
}

/**
 * Returns the free text of a custom call; the arguments themselves if they are not an object with the string `input`.
 */
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
