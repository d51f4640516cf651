import { isObject } from "../../exchange/json.ts";
import type { Part } from "../../exchange/parts.ts";
import { introduceSummary } from "../../exchange/signature.ts";

/**
 * Converts a part of a request that only this dialect has to text, if its meaning can be expressed in words: a tool that
 * a search of the client has found (`tool_reference`), or a summary that replaces the earlier conversation
 * (`compaction`). The text keeps the block as its origin, so that a messages upstream receives the block itself. Returns
 * any other part unchanged.
 */
export function toReadable(part: Part): Part {
  if (part.type === "tool-result" && part.content.some(({ type }) => type === "unknown"))
    return { ...part, content: part.content.map(toReadable) };
  if (part.type !== "unknown" || !isObject(part.origin.raw)) return part;
  const text = describe(part.origin.raw);
  return text === undefined ? part : { ...part, type: "text", text };
}

function describe({ type, tool_name: name, content }: Readonly<Record<string, unknown>>): string | undefined {
  if (type === "tool_reference" && typeof name === "string") return `The tool ${name} is available.`;
  return type === "compaction" && typeof content === "string" ? introduceSummary(content) : undefined;
}
