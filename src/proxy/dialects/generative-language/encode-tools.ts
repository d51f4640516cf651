import type { Capabilities } from "../../exchange/capabilities.ts";
import { dropHostedTools, narrowTools } from "../../exchange/hosted-tools.ts";
import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { ExchangeRequest, HostedTool, Tool, ToolChoice } from "../../exchange/request.ts";
import { readWebSearchOptions, reportLostOptions } from "../../exchange/web-search.ts";
import type { WireObject } from "./encode-parts.ts";
import { toGenerativeSchema } from "./to-schema.ts";

const hostedNames: Partial<Record<HostedTool["tool"], string>> = {
  "web-search": "googleSearch",
  "web-fetch": "urlContext",
  "code-execution": "codeExecution",
};

/** Encodes `tools` and `toolConfig`; returns an empty object if there are no tools. */
export function encodeTools(
  request: ExchangeRequest,
  capabilities: Capabilities,
  losses: LossList,
): WireObject {
  const allowsAuto = request.toolChoice?.mode === "allowed" && !request.toolChoice.required;
  const { tools, choice } = allowsAuto
    ? narrowTools(request)
    : { tools: request.tools, choice: request.toolChoice };
  const functions = tools.flatMap((tool) =>
    tool.type === "hosted" ? [] : [encodeFunction(tool, capabilities, losses)],
  );
  const hosted = encodeHosted(tools, functions, capabilities, losses);
  const declared = functions.length > 0 ? [{ functionDeclarations: functions }, ...hosted] : hosted;
  if (declared.length === 0) return {};
  if (request.parallelToolCalls === false) {
    losses.add("parallel-tool-calls", "`parallel_tool_calls` dropped: the upstream has no equivalent.");
  }
  const own = request.extensions["generative-language"]?.["toolConfig"];
  const calling =
    functions.length > 0 && choice !== undefined ? { functionCallingConfig: encodeChoice(choice) } : {};
  const toolConfig = { ...(isObject(own) ? own : {}), ...calling };
  return { tools: declared, ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}) };
}

function encodeFunction(
  tool: Exclude<Tool, HostedTool>,
  capabilities: Capabilities,
  losses: LossList,
): WireObject {
  const schema = tool.type === "custom" ? customSchema(tool.format) : tool.schema;
  const description = tool.description === undefined ? {} : { description: tool.description };
  const named = { name: tool.name, ...description };
  if (tool.type === "function" && tool.strict === true) {
    losses.add("strict", "`strict` dropped: the vendor does not enforce the schemas of tools.");
  }
  if (!isObject(schema) || isEmptyObject(schema)) return named;
  if (capabilities.jsonSchemaTools) return { ...named, parametersJsonSchema: schema };
  return { ...named, parameters: toGenerativeSchema(schema, losses) };
}

/**
 * Returns the schema of the function that replaces a custom tool: an object with one string, `input`, whose description
 * contains the tool's grammar, if any.
 */
function customSchema(format: unknown): WireObject {
  const definition = isObject(format) ? format["definition"] : undefined;
  const grammar =
    typeof definition === "string" ? { description: `Text of this grammar:\n${definition}` } : {};
  return { type: "object", properties: { input: { type: "string", ...grammar } }, required: ["input"] };
}

/**
 * Returns whether a schema is an object without properties. The vendor rejects such a schema, so the function is
 * declared without one.
 */
function isEmptyObject(schema: WireObject): boolean {
  const { properties, type } = schema;
  const isBare = !["$ref", "anyOf", "oneOf", "allOf"].some((key) => key in schema);
  const isEmpty = !isObject(properties) || Object.keys(properties).length === 0;
  return isBare && isEmpty && (type === undefined || type === "object" || type === "OBJECT");
}

function encodeHosted(
  tools: readonly Tool[],
  functions: readonly unknown[],
  capabilities: Capabilities,
  losses: LossList,
): WireObject[] {
  const written = new Map<string, WireObject>();
  const dropped: HostedTool[] = [];
  // Models before Gemini 3 reject a request with both hosted tools and functions.
  const mixes = functions.length === 0 || capabilities.combinesTools;
  for (const tool of tools) {
    if (tool.type !== "hosted") continue;
    const name = hostedNames[tool.tool];
    if (tool.dialect === "generative-language" && isObject(tool.raw)) {
      written.set(Object.keys(tool.raw).join(), tool.raw);
    } else if (name !== undefined && mixes) {
      if (tool.tool === "web-search") reportLostOptions(readWebSearchOptions(tool), [], losses);
      written.set(name, { [name]: {} });
    } else dropped.push(tool);
  }
  dropHostedTools(dropped, [...functions, ...written.values()], losses);
  return [...written.values()];
}

function encodeChoice(choice: ToolChoice): WireObject {
  switch (choice.mode) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    case "allowed":
      return { mode: choice.required ? "ANY" : "VALIDATED", allowedFunctionNames: choice.names };
  }
}
