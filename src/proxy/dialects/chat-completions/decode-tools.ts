import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { OutputFormat, Tool, ToolChoice } from "../../exchange/request.ts";
import type { WireRequest, WireTool } from "./schema.ts";

/**
 * Converts `tools`, the legacy member `functions`, and `web_search_options`. Throws `DialectError` (400) if a tool of
 * type `function` or `custom` lacks the member of that name.
 */
export function decodeTools(request: WireRequest): Tool[] {
  const tools = (request.tools ?? []).map(decodeTool);
  for (const { name, description, parameters } of request.functions ?? []) {
    tools.push(
      defined({ type: "function" as const, name, description: description ?? undefined, schema: parameters }),
    );
  }
  if (request.web_search_options) {
    tools.push({
      type: "hosted",
      tool: "web-search",
      dialect: "chat-completions",
      raw: { web_search_options: request.web_search_options },
    });
  }
  return tools;
}

function decodeTool(tool: WireTool): Tool {
  if (tool.type === "function" && tool.function !== undefined) {
    const { name, description, parameters, strict } = tool.function;
    // OpenRouter and LiteLLM accept cache breakpoints of the messages dialect on tools.
    const cache = tool["cache_control"] ?? tool.function["cache_control"] ?? undefined;
    return defined({
      type: "function" as const,
      name,
      description: description ?? undefined,
      schema: parameters,
      strict: strict ?? undefined,
      extras: cache === undefined ? undefined : { cache_control: cache },
    });
  }
  if (tool.type === "custom" && tool.custom !== undefined) {
    const { name, description, format } = tool.custom;
    return defined({ type: "custom" as const, name, description: description ?? undefined, format });
  }
  if (tool.type === "function" || tool.type === "custom") {
    throw invalidRequest(`A tool of type ${tool.type} requires the member ${tool.type}`, "tools");
  }
  return { type: "hosted", tool: "other", dialect: "chat-completions", raw: tool };
}

/** Converts `tool_choice` or the legacy `function_call`. Throws `DialectError` (400) if the value is invalid. */
export function decodeToolChoice(request: WireRequest): ToolChoice | undefined {
  const choice = request.tool_choice ?? request.function_call;
  if (choice === undefined || choice === null) return undefined;
  const member = choice === request.tool_choice ? "tool_choice" : "function_call";
  if (typeof choice === "string") {
    if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
    throw invalidRequest(`Invalid value for '${member}': ${JSON.stringify(choice)}`, member);
  }
  const name = getName(choice["function"]) ?? getName(choice["custom"]) ?? getName(choice);
  if (name !== undefined) return { mode: "tool", name };
  const allowed = choice["allowed_tools"];
  if (isObject(allowed) && Array.isArray(allowed["tools"])) {
    const names = allowed["tools"].flatMap((tool) => {
      const found = isObject(tool)
        ? (getName(tool["function"]) ?? getName(tool["custom"]) ?? getName(tool))
        : undefined;
      return found === undefined ? [] : [found];
    });
    return { mode: "allowed", names, required: allowed["mode"] === "required" };
  }
  throw invalidRequest(`${member} does not name a tool`, member);
}

function getName(value: unknown): string | undefined {
  return isObject(value) && typeof value["name"] === "string" ? value["name"] : undefined;
}

/** Converts `response_format`. Throws `DialectError` (400) if the type is unknown or `json_schema` is missing. */
export function decodeOutput(format: WireRequest["response_format"]): OutputFormat | undefined {
  if (!format) return undefined;
  if (format.type === "text") return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") {
    throw invalidRequest(
      `Invalid value for 'response_format.type': ${JSON.stringify(format.type)}`,
      "response_format",
    );
  }
  const described = format["json_schema"];
  if (!isObject(described)) {
    throw invalidRequest(
      "A response_format of type json_schema requires the member json_schema",
      "response_format",
    );
  }
  const { schema, name, description, strict } = described;
  return defined({
    type: "json-schema" as const,
    schema: schema ?? {},
    name: typeof name === "string" ? name : undefined,
    description: typeof description === "string" ? description : undefined,
    strict: typeof strict === "boolean" ? strict : undefined,
  });
}
