import { parseRequestPiece } from "../shared/parse.ts";
import { toolChangeBlock, type WireBlock, type WireRequest, type WireTool } from "./schema.ts";

/**
 * Returns the tools in force at the end of the conversation: those of the request, changed by the blocks
 * `tool_addition` and `tool_removal` of system messages. A new definition keeps the position of the tool that it
 * replaces, so that prompt caches of other vendors match as far as possible.
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages
 */
export function toolsInForce({ tools, messages }: Pick<WireRequest, "tools" | "messages">): WireTool[] {
  const offered = new Map<string, WireTool>();
  for (const [index, tool] of (tools ?? []).entries()) offered.set(tool.name ?? `#${index}`, tool);
  const known = new Map(offered);
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== "system" || typeof content === "string") continue;
    for (const [position, block] of content.entries()) {
      if (!isToolChange(block)) continue;
      const where = `messages[${index}].content[${position}]`;
      const { name, definition } = parseRequestPiece(toolChangeBlock, block, where).tool;
      const key = definition?.name ?? name ?? "";
      if (definition) known.set(key, definition);
      const added = known.get(key);
      if (block.type === "tool_removal") offered.delete(key);
      else if (added !== undefined) offered.set(key, added);
    }
  }
  return [...offered.values()];
}

/**
 * Returns whether a block adds or removes a tool by its name or definition. Changes of MCP servers' tools are not
 * included, because other vendors do not call these servers.
 */
export function isToolChange({ type, tool }: WireBlock): boolean {
  const of = (tool as { type?: unknown } | null | undefined)?.type;
  const isChange = type === "tool_addition" || type === "tool_removal";
  return isChange && (of === "tool_reference" || of === "tool_definition");
}
