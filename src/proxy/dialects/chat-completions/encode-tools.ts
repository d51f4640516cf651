import { argumentsSchema } from "../../exchange/arguments-schema.ts";
import type { Capabilities } from "../../exchange/capabilities.ts";
import { defined } from "../../exchange/defined.ts";
import { dropHostedTools, narrowTools } from "../../exchange/hosted-tools.ts";
import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { ExchangeRequest, HostedTool, OutputFormat, Tool, ToolChoice } from "../../exchange/request.ts";
import { fitToolChoice } from "../shared/fit-tool-choice.ts";

/**
 * Encodes `tools`, `tool_choice`, `parallel_tool_calls` and `web_search_options`. Omits the first three if there are no
 * tools.
 */
export function encodeTools(
  request: ExchangeRequest,
  capabilities: Capabilities,
  list: LossList,
): Readonly<Record<string, unknown>> {
  const { tools: asked, choice } = fitToolChoice(narrowTools(request), capabilities, list);
  const hosted = asked.filter((tool): tool is HostedTool => tool.type === "hosted");
  const own = hosted.filter((tool) => tool.dialect === "chat-completions");
  const search = own.map((tool) => tool.raw).find((raw) => isObject(raw) && "web_search_options" in raw);
  const tools: unknown[] = asked.flatMap((tool) => encodeTool(tool, capabilities, list) ?? []);
  tools.push(...own.map((tool) => tool.raw).filter((raw) => raw !== search));
  const foreign = hosted.filter((tool) => tool.dialect !== "chat-completions");
  dropHostedTools(foreign, search === undefined ? tools : [...tools, search], list);
  const beside = isObject(search) ? search : {};
  if (tools.length === 0) return beside;
  return defined({
    ...beside,
    tools,
    tool_choice: choice === undefined ? undefined : encodeChoice(choice, request.tools),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

function encodeTool(tool: Tool, { cacheControl }: Capabilities, list: LossList): unknown {
  if (tool.type === "hosted") return undefined;
  const { name, description } = tool;
  if (tool.type === "custom")
    return { type: "custom", custom: defined({ name, description, format: tool.format }) };
  const parameters = argumentsSchema(tool.schema, list);
  const cache = cacheControl === "all" ? tool.extras?.["cache_control"] : undefined;
  return defined({
    type: "function",
    cache_control: cache,
    function: defined({ name, description, parameters, strict: tool.strict }),
  });
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  if (choice.mode === "allowed") return choice.required ? "required" : "auto";
  if (choice.mode !== "tool") return choice.mode;
  const isCustom = tools.some((tool) => tool.type === "custom" && tool.name === choice.name);
  return isCustom
    ? { type: "custom", custom: { name: choice.name } }
    : { type: "function", function: { name: choice.name } };
}

/** The response format for JSON without a schema, for upstreams that reject `json_object`. */
const ANY_OBJECT = {
  type: "json_schema",
  json_schema: { name: "answer", schema: { type: "object" } },
} as const;

/**
 * Encodes `response_format`. Drops a format or a schema that the model does not support, and adds a loss.
 */
export function encodeOutput(
  output: OutputFormat | undefined,
  capabilities: Capabilities,
  list: LossList,
): unknown {
  if (output === undefined || output.type === "text") return output;
  if (capabilities.structuredOutput === "none") {
    list.add("structured-output", "Response format dropped: the model does not support structured output.");
    return undefined;
  }
  if (output.type === "json") {
    return capabilities.structuredOutput === "only-json-schema" ? ANY_OBJECT : { type: "json_object" };
  }
  if (capabilities.structuredOutput === "json") {
    list.add("json-schema", "JSON schema dropped: the model supports JSON output without a schema only.");
    return { type: "json_object" };
  }
  const { name, description, schema, strict } = output;
  return {
    type: "json_schema",
    json_schema: defined({ name: name ?? "answer", description, schema, strict }),
  };
}
