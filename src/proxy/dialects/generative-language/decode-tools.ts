import { ownMember } from "../../exchange/json.ts";
import type { FunctionTool, HostedTool, Tool, ToolChoice } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { fromGenerativeSchema } from "./from-schema.ts";
import type { WireFunction, WireRequest } from "./schema.ts";

const hostedTools: Readonly<Record<string, HostedTool["tool"]>> = {
  googleSearch: "web-search",
  googleSearchRetrieval: "web-search",
  enterpriseWebSearch: "web-search",
  urlContext: "web-fetch",
  codeExecution: "code-execution",
  fileSearch: "file-search",
  mcpServers: "mcp",
};

/** Converts each function declaration to a function tool, and each other member of a tool object to a hosted tool. */
export function* decodeTools(wire: WireRequest["tools"]): Steps<Tool[]> {
  const tools: Tool[] = [];
  for (const tool of [wire ?? []].flat()) {
    if (isPauseDue()) yield;
    const { functionDeclarations, ...rest } = tool;
    const hosted = Object.entries(rest).flatMap(([name, value]): Tool[] =>
      value === undefined || value === null
        ? []
        : [
            {
              type: "hosted",
              tool: ownMember(hostedTools, name) ?? "other",
              dialect: "generative-language",
              raw: { [name]: value },
            },
          ],
    );
    for (const declaration of functionDeclarations ?? []) {
      if (isPauseDue()) yield;
      tools.push(decodeFunction(declaration));
    }
    for (const each of hosted) tools.push(each);
  }
  return tools;
}

function decodeFunction(declaration: WireFunction): FunctionTool {
  const { name: _, description: __, parameters, parametersJsonSchema, ...further } = declaration;
  const hasParameters = parameters !== undefined && parameters !== null;
  return {
    type: "function",
    name: declaration.name,
    ...withoutNullish({
      description: declaration.description,
      schema: parametersJsonSchema ?? (hasParameters ? fromGenerativeSchema(parameters) : undefined),
      extras: collectExtras(further),
    }),
  };
}

/** Returns the members of a function that only this dialect has, such as `behavior`; undefined if there are none. */
function collectExtras(further: Readonly<Record<string, unknown>>): FunctionTool["extras"] {
  const extras = withoutNullish(further);
  return Object.keys(extras).length === 0 ? undefined : extras;
}

/**
 * Converts the function calling mode; returns undefined if the mode is absent or unknown. `VALIDATED` is decoded like
 * `AUTO`, although it also makes the arguments match their schema, which other vendors offer per tool as `strict`.
 */
export function decodeToolChoice(config: WireRequest["toolConfig"]): ToolChoice | undefined {
  const calling = config?.functionCallingConfig;
  const names = calling?.allowedFunctionNames ?? [];
  const [only] = names;
  switch (calling?.mode?.toUpperCase()) {
    case "NONE":
      return { mode: "none" };
    case "ANY":
      if (only === undefined) return { mode: "required" };
      return names.length === 1 ? { mode: "tool", name: only } : { mode: "allowed", names, required: true };
    case "AUTO":
    case "VALIDATED":
      return names.length === 0 ? { mode: "auto" } : { mode: "allowed", names, required: false };
    default:
      return undefined;
  }
}
