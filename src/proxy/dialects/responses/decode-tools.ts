import type { z } from "zod";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { ownMember } from "../../exchange/json.ts";
import type { HostedTool, Tool, ToolChoice } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { parseRequestPiece } from "../shared/parse.ts";
import { getNamespace, qualifiedName } from "./namespaces.ts";
import { toolChoiceSchema, toolSchema } from "./schema.ts";

const hostedTools: Readonly<Record<string, HostedTool["tool"]>> = {
  web_search: "web-search",
  web_search_2025_08_26: "web-search",
  web_search_preview: "web-search",
  web_search_preview_2025_03_11: "web-search",
  file_search: "file-search",
  code_interpreter: "code-execution",
  image_generation: "image-generation",
  mcp: "mcp",
};

/**
 * Converts tool declarations. A namespace becomes several functions. Throws `DialectError` (400) for an invalid
 * declaration; the error's path starts with `where`.
 */
export function* decodeTools(values: readonly unknown[], where = "tools"): Steps<Tool[]> {
  const tools: Tool[] = [];
  for (const [index, value] of values.entries()) {
    if (isPauseDue()) yield;
    for (const tool of yield* decodeTool(value, `${where}[${index}]`)) tools.push(tool);
  }
  return tools;
}

function* decodeTool(value: unknown, where: string): Steps<Tool[]> {
  const tool = parseRequestPiece(toolSchema, value, where);
  switch (tool.type) {
    case "function":
      return [toFunction(tool, where)];
    case "custom":
      return [
        {
          type: "custom",
          name: required(tool.name, where),
          ...(typeof tool.description === "string" ? { description: tool.description } : {}),
          format: tool.format,
        },
      ];
    case "namespace":
      return yield* decodeNamespace(required(tool.name, where), tool.description, tool.tools ?? [], where);
    default:
      return [
        {
          type: "hosted",
          tool: ownMember(hostedTools, tool.type) ?? "other",
          dialect: "responses",
          raw: value,
        },
      ];
  }
}

/**
 * Converts a function in the form of this dialect, or in the nested form of chat-completions, which several clients
 * send.
 */
function toFunction(tool: z.output<typeof toolSchema>, where: string): Extract<Tool, { type: "function" }> {
  const { function: nested, ...flat } = tool;
  const { name, description, parameters, strict } = nested ?? flat;
  const deferred = flat["defer_loading"];
  return {
    type: "function",
    name: required(name, where),
    ...(typeof description === "string" ? { description } : {}),
    ...(parameters === undefined || parameters === null ? {} : { schema: parameters }),
    ...(typeof strict === "boolean" ? { strict } : {}),
    ...(deferred === undefined ? {} : { extras: { defer_loading: deferred } }),
  };
}

function* decodeNamespace(
  namespace: string,
  description: string | null | undefined,
  values: readonly unknown[],
  where: string,
): Steps<Tool[]> {
  const tools: Tool[] = [];
  for (const [index, value] of values.entries()) {
    if (isPauseDue()) yield;
    const at = `${where}.tools[${index}]`;
    const tool = toFunction(parseRequestPiece(toolSchema, value, at), at);
    const origin = {
      namespace,
      name: tool.name,
      ...(typeof description === "string" ? { description } : {}),
    };
    tools.push({
      ...tool,
      name: qualifiedName(namespace, tool.name),
      extras: { ...tool.extras, namespace: origin },
    });
  }
  return tools;
}

function required(name: string | null | undefined, where: string): string {
  if (typeof name === "string" && name !== "") return name;
  throw invalidRequest(`Missing required parameter: '${where}.name'.`, `${where}.name`);
}

/**
 * Creates a function that qualifies names, because a tool choice can contain the short name of a namespaced function.
 */
function createNameQualifier(tools: readonly Tool[]): (name: string) => string {
  const declared = new Set<string>();
  const qualified = new Map<string, string>();
  for (const tool of tools) {
    if (tool.type === "hosted") continue;
    declared.add(tool.name);
    const short = tool.type === "function" ? getNamespace(tool)?.name : undefined;
    if (short !== undefined && !qualified.has(short)) qualified.set(short, tool.name);
  }
  return (name) => (declared.has(name) ? name : (qualified.get(name) ?? name));
}

/**
 * Converts `tool_choice`; returns undefined if it names a hosted tool, which only this dialect can force. Throws
 * `DialectError` (400) if the value is invalid.
 */
export function decodeToolChoice(value: unknown, tools: readonly Tool[]): ToolChoice | undefined {
  const choice = parseRequestPiece(toolChoiceSchema, value, "tool_choice");
  if (typeof choice === "string") {
    if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
    throw invalidRequest(`Invalid value for 'tool_choice': '${choice}'.`, "tool_choice");
  }
  const name = choice.name ?? choice.function?.name;
  const qualify = createNameQualifier(tools);
  if ((choice.type === "function" || choice.type === "custom") && typeof name === "string") {
    return { mode: "tool", name: qualify(name) };
  }
  if (choice.type !== "allowed_tools") return undefined;
  const names = (choice.tools ?? []).flatMap((tool) =>
    typeof tool.name === "string" ? [qualify(tool.name)] : [],
  );
  return { mode: "allowed", names, required: choice.mode === "required" };
}
