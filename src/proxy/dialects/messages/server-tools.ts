import { defined } from "../../exchange/defined.ts";
import { asString, isObject, ownMember } from "../../exchange/json.ts";
import type { ServerToolPart } from "../../exchange/parts.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { profile } from "./profile.ts";
import type { WireBlock } from "./schema.ts";

const toolsByName: Readonly<Record<string, ServerToolPart["tool"]>> = {
  web_search: "web-search",
  web_fetch: "web-fetch",
  code_execution: "code-execution",
  bash_code_execution: "code-execution",
  text_editor_code_execution: "code-execution",
};

/** Converts the call or the result of a tool that the vendor ran; returns undefined for any other block. */
export function decodeServerBlock(block: WireBlock): ServerToolPart | undefined {
  const origin = { dialect: "messages", raw: block } as const;
  if (block.type === "server_tool_use" || block.type === "mcp_tool_use") {
    const name = asString(block["name"]);
    const tool = block.type === "mcp_tool_use" ? "mcp" : (ownMember(toolsByName, name ?? "") ?? "other");
    return defined({
      type: "server-tool" as const,
      tool,
      phase: "call" as const,
      id: asString(block["id"]),
      name,
      input: block["input"],
      origin,
    });
  }
  const name = /^(.+)_tool_result$/.exec(block.type)?.[1];
  if (name === undefined) return undefined;
  const tool = name === "mcp" ? "mcp" : (ownMember(toolsByName, name) ?? "other");
  const id = asString(block["tool_use_id"]);
  return defined({
    type: "server-tool" as const,
    tool,
    phase: "result" as const,
    id,
    name,
    output: block["content"],
    origin,
  });
}

/**
 * Encodes the use of a vendor's tool as blocks. Returns Anthropic's blocks unchanged. Another vendor's web search
 * becomes a web search of this dialect, so that clients can display and count it. Returns undefined if there is no
 * equivalent.
 */
export function encodeServerPart(part: ServerToolPart): readonly WireBlock[] | undefined {
  if (part.origin?.dialect === "messages") return [part.origin.raw as WireBlock];
  if (part.tool !== "web-search") return undefined;
  const id = `srvtoolu_${toCallId(profile.callIds, part.id ?? "search").replace(/^srvtoolu_/, "")}`;
  const input = isObject(part.input) ? part.input : {};
  const call = { type: "server_tool_use", id, name: "web_search", input: { query: queryIn(input) } };
  const result = {
    type: "web_search_tool_result",
    tool_use_id: id,
    content: pagesIn(part.output ?? input["sources"]),
  };
  return part.phase === "call" ? [call, result] : [result];
}

function queryIn(input: Record<string, unknown>): string {
  const queries = Array.isArray(input["queries"]) ? input["queries"] : [];
  return asString(input["query"]) ?? queries.map(asString).find((query) => query !== undefined) ?? "";
}

function pagesIn(output: unknown): unknown[] {
  return (Array.isArray(output) ? output : []).filter(isObject).flatMap((page) => {
    const url = asString(page["url"]) ?? asString(page["uri"]);
    if (url === undefined) return [];
    const title = asString(page["title"]) ?? url;
    return [{ type: "web_search_result", url, title, encrypted_content: "", page_age: null }];
  });
}
