import { argumentsSchema } from "../../exchange/arguments-schema.ts";
import { findTool } from "../../exchange/find-tool.ts";
import { dropHostedTools } from "../../exchange/hosted-tools.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { ExchangeRequest, FunctionTool, HostedTool, Tool, ToolChoice } from "../../exchange/request.ts";
import { readWebSearchOptions, reportLostOptions } from "../../exchange/web-search.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { getNamespace } from "./namespaces.ts";

/** This dialect's hosted tools that are declared without options, by their type in the exchange. */
const hostedNames: Partial<Record<HostedTool["tool"], string>> = {
  "web-fetch": "web_search",
  "image-generation": "image_generation",
};

/** Encodes tool declarations. Groups the functions of a namespace in one declaration. */
export function encodeTools(tools: readonly Tool[], losses: LossList): unknown[] {
  const written: unknown[] = [];
  const dropped: HostedTool[] = [];
  const spaces = new Map<string, unknown[]>();
  for (const tool of tools) {
    if (tool.type === "hosted") {
      const hosted = encodeHosted(tool, losses);
      if (hosted === undefined) dropped.push(tool);
      else if (!written.some((other) => isSame(other, hosted))) written.push(hosted);
    } else if (tool.type === "custom") {
      const { description, format } = tool;
      written.push({
        type: "custom",
        name: tool.name,
        description,
        format,
      });
    } else addFunction(tool, written, spaces, losses);
  }
  dropHostedTools(dropped, written, losses);
  return written;
}

function addFunction(
  tool: FunctionTool,
  written: unknown[],
  spaces: Map<string, unknown[]>,
  losses: LossList,
): void {
  const space = getNamespace(tool);
  if (space === undefined) {
    written.push(encodeFunction(tool, tool.name, losses));
    return;
  }
  const declared = encodeFunction(tool, space.name, losses);
  const known = spaces.get(space.namespace);
  if (known !== undefined) {
    known.push(declared);
    return;
  }
  const tools = [declared];
  spaces.set(space.namespace, tools);
  const description = space.description === undefined ? {} : { description: space.description };
  written.push({ type: "namespace", name: space.namespace, ...description, tools });
}

function encodeFunction(tool: FunctionTool, name: string, losses: LossList): unknown {
  const deferred = tool.extras?.["defer_loading"];
  return {
    type: "function",
    name,
    description: tool.description,
    parameters: argumentsSchema(tool.schema, losses),
    // Unlike in chat-completions, the vendor treats a missing `strict` as true.
    strict: tool.strict ?? false,
    defer_loading: deferred,
  };
}

function encodeHosted(tool: HostedTool, losses: LossList): unknown {
  if (tool.dialect === "responses") return tool.raw;
  if (tool.tool === "web-search") return encodeWebSearch(tool, losses);
  const type = hostedNames[tool.tool];
  if (type !== undefined) return { type };
  return tool.tool === "code-execution"
    ? { type: "code_interpreter", container: { type: "auto" } }
    : undefined;
}

function encodeWebSearch(tool: HostedTool, losses: LossList): unknown {
  const options = readWebSearchOptions(tool);
  reportLostOptions(options, ["allowedDomains", "location", "contextSize"], losses);
  const { allowedDomains, location } = options;
  return withoutNullish({
    type: "web_search",
    filters: allowedDomains === undefined ? undefined : { allowed_domains: allowedDomains },
    user_location: location === undefined ? undefined : { ...location, type: "approximate" },
    search_context_size: options.contextSize,
  });
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Encodes `tool_choice`; returns undefined if the request has no tool choice or no tools. */
export function encodeToolChoice(request: ExchangeRequest): unknown {
  const choice = request.toolChoice;
  if (choice === undefined || request.tools.length === 0) return undefined;
  if (choice.mode === "tool") return pointer(choice.name, request.tools);
  if (choice.mode !== "allowed") return choice.mode;
  return {
    type: "allowed_tools",
    mode: choice.required ? "required" : "auto",
    tools: choice.names.map((name) => pointer(name, request.tools)),
  };
}

function pointer(name: Extract<ToolChoice, { mode: "tool" }>["name"], tools: readonly Tool[]): unknown {
  const isCustom = findTool(tools, "custom", name) !== undefined;
  return { type: isCustom ? "custom" : "function", name };
}
