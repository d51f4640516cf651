import { argumentsSchema } from "../../exchange/arguments-schema.ts";
import { defined } from "../../exchange/defined.ts";
import { dropHostedTools } from "../../exchange/hosted-tools.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { ExchangeRequest, FunctionTool, HostedTool, ToolChoice } from "../../exchange/request.ts";
import { readWebSearchOptions, reportLostOptions } from "../../exchange/web-search.ts";
import { toStrictSchema } from "./strict-schema.ts";

/** Members of a tool's `extras` that this dialect supports. */
const ownExtras = [
  "cache_control",
  "defer_loading",
  "input_examples",
  "eager_input_streaming",
  "allowed_callers",
];

/** This vendor's declarations of hosted tools, each with its beta header. */
const ownHosted: Partial<
  Record<HostedTool["tool"], { readonly declaration: unknown; readonly beta: string }>
> = {
  "code-execution": {
    declaration: { type: "code_execution_20250825", name: "code_execution" },
    beta: "code-execution-2025-08-25",
  },
  "web-fetch": {
    declaration: { type: "web_fetch_20250910", name: "web_fetch" },
    beta: "web-fetch-2025-09-10",
  },
};

/** Returns the beta features of hosted tools that are converted from another dialect. */
export function toolBetas({ tools }: ExchangeRequest): readonly string[] {
  return tools.flatMap((tool) =>
    tool.type === "hosted" && tool.dialect !== "messages" ? (ownHosted[tool.tool]?.beta ?? []) : [],
  );
}

/**
 * Encodes `tools`, `mcp_servers` and `tool_choice`; returns an empty object if there are no tools. The upstream must
 * accept the request's tool choice.
 */
export function encodeTools(request: ExchangeRequest, list: LossList): Readonly<Record<string, unknown>> {
  const tools: unknown[] = [];
  const servers: unknown[] = [];
  const dropped: HostedTool[] = [];
  for (const tool of request.tools) {
    if (tool.type === "function") tools.push(encodeFunction(tool, list));
    else if (tool.type === "custom")
      list.add("custom-tool", "Custom tool dropped: the dialect has no equivalent.");
    else if (tool.dialect === "messages") (tool.tool === "mcp" ? servers : tools).push(tool.raw);
    else if (tool.tool === "web-search") tools.push(encodeWebSearch(tool, list));
    else if (ownHosted[tool.tool] !== undefined) tools.push(ownHosted[tool.tool]?.declaration);
    else dropped.push(tool);
  }
  dropHostedTools(dropped, [...tools, ...servers], list);
  if (tools.length === 0 && servers.length === 0) return {};
  return defined({
    tools: tools.length > 0 ? tools : undefined,
    mcp_servers: servers.length > 0 ? servers : undefined,
    tool_choice: encodeChoice(request.toolChoice, request.parallelToolCalls),
  });
}

function encodeFunction(tool: FunctionTool, list: LossList): Readonly<Record<string, unknown>> {
  const schema = argumentsSchema(tool.schema, list);
  const isStrict = tool.strict === true;
  const encoded: Record<string, unknown> = defined({
    name: tool.name,
    description: tool.description,
    input_schema: isStrict ? toStrictSchema(schema, list) : schema,
    strict: isStrict ? true : undefined,
  });
  for (const key in tool.extras) if (ownExtras.includes(key)) encoded[key] = tool.extras[key];
  return encoded;
}

/** Converts a web search tool of another vendor. Keeps the options that both vendors support; the others are a loss. */
function encodeWebSearch(tool: HostedTool, list: LossList): Readonly<Record<string, unknown>> {
  const options = readWebSearchOptions(tool);
  reportLostOptions(options, ["allowedDomains", "blockedDomains", "location"], list);
  return defined({
    type: "web_search_20250305",
    name: "web_search",
    allowed_domains: options.allowedDomains,
    blocked_domains: options.blockedDomains,
    user_location: options.location === undefined ? undefined : { ...options.location, type: "approximate" },
  });
}

function encodeChoice(choice: ToolChoice | undefined, parallel: boolean | undefined): unknown {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallel === false ? { type: "auto", ...single } : undefined;
  if (choice.mode === "none") return { type: "none" };
  if (choice.mode === "tool") return { type: "tool", name: choice.name, ...single };
  return { type: choice.mode === "required" ? "any" : "auto", ...single };
}
