import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest, Tool } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { mapParts } from "../../exchange/turns.ts";

const inputSchema = {
  type: "object",
  properties: { input: { type: "string", description: "The tool's whole input, as free text." } },
  required: ["input"],
  additionalProperties: false,
};

/**
 * Converts free-text tools for upstreams that do not support them. Each tool becomes a function with one string
 * argument, and each earlier call of a free-text tool becomes a function call. The description states the grammar,
 * which the upstream cannot enforce. The codecs of dialects with custom tools convert the calls in the response back.
 */
export function* wrapCustomTools(request: ExchangeRequest): Steps<ExchangeRequest> {
  const isCalled = (part: Part) => part.type === "tool-call" && part.custom === true;
  const declared = request.tools.some((tool) => tool.type === "custom");
  if (!declared && !request.turns.some((turn) => turn.parts.some(isCalled))) return request;
  return {
    ...request,
    tools: request.tools.map((tool) => (tool.type === "custom" ? asFunction(tool) : tool)),
    turns: yield* mapParts(request.turns, asFunctionCall),
  };
}

function asFunction(tool: Extract<Tool, { type: "custom" }>): Tool {
  const { name, description, format } = tool;
  const grammar = format === undefined ? undefined : `The input's format: ${JSON.stringify(format)}`;
  const text = [description, grammar].filter((text) => text !== undefined).join("\n\n");
  return { type: "function", name, schema: inputSchema, ...(text === "" ? {} : { description: text }) };
}

function asFunctionCall(part: Part): Part {
  if (part.type === "tool-result" && part.custom === true) {
    const { custom: _, ...result } = part;
    return result;
  }
  if (part.type !== "tool-call" || part.custom !== true) return part;
  const { custom: _, ...call } = part;
  return { ...call, arguments: JSON.stringify({ input: part.arguments }) };
}
