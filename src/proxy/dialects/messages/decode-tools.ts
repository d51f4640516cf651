import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import type { HostedTool, Tool, ToolChoice } from "../../exchange/request.ts";
import type { WireRequest, WireTool } from "./schema.ts";
import { toolsInForce } from "./tool-changes.ts";

const hostedByType: readonly (readonly [prefix: string, tool: HostedTool["tool"]])[] = [
  ["web_search_", "web-search"],
  ["web_fetch_", "web-fetch"],
  ["code_execution_", "code-execution"],
];
const read = ["type", "name", "description", "input_schema", "strict"];

/**
 * Converts `tools` and `mcp_servers`. A tool that the vendor defines, with a `type` other than `custom`, becomes a
 * hosted tool. Throws `DialectError` (400) if any other tool has no name.
 */
export function decodeTools(wire: WireRequest): Tool[] {
  const tools = toolsInForce(wire).map(decodeTool);
  const servers = Array.isArray(wire["mcp_servers"]) ? wire["mcp_servers"] : [];
  return [
    ...tools,
    ...servers.map((raw): Tool => ({ type: "hosted", tool: "mcp", dialect: "messages", raw })),
  ];
}

function decodeTool(wire: WireTool, index: number): Tool {
  if (wire.type && wire.type !== "custom") {
    const type = wire.type;
    const tool = hostedByType.find(([prefix]) => type.startsWith(prefix))?.[1] ?? "other";
    return { type: "hosted", tool, dialect: "messages", raw: wire };
  }
  if (!wire.name) throw invalidRequest(`tools[${index}].name is missing`, `tools[${index}].name`);
  const extras = Object.entries(wire).filter(([key, value]) => !read.includes(key) && value !== null);
  return defined({
    type: "function" as const,
    name: wire.name,
    description: wire.description ?? undefined,
    schema: wire.input_schema,
    strict: wire.strict ?? undefined,
    extras: extras.length > 0 ? Object.fromEntries(extras) : undefined,
  });
}

/** Converts `tool_choice`. Throws `DialectError` (400) if a choice of the type `tool` has no name. */
export function decodeToolChoice(wire: WireRequest): ToolChoice | undefined {
  const choice = wire.tool_choice;
  if (!choice) return undefined;
  if (choice.type === "any") return { mode: "required" };
  if (choice.type !== "tool") return { mode: choice.type };
  if (!choice.name) throw invalidRequest("tool_choice.name is missing", "tool_choice.name");
  return { mode: "tool", name: choice.name };
}
