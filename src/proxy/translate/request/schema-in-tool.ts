import type { Capabilities } from "../../exchange/capabilities.ts";
import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Finish } from "../../exchange/response.ts";

/** Name of the tool whose arguments are the response. */
const toolName = "structured_answer";

/**
 * Replaces a response schema by a tool with that schema and a forced call, for models of the messages dialect without
 * structured output, as the vendor recommends. Returns undefined if there is nothing to replace or the client has
 * tools.
 */
export function wrapSchemaInTool(
  request: ExchangeRequest,
  capabilities: Capabilities,
): ExchangeRequest | undefined {
  const { output } = request;
  if (
    output?.type !== "json-schema" ||
    capabilities.structuredOutput !== "none" ||
    request.tools.length > 0
  ) {
    return undefined;
  }
  const { output: _, reasoning: __, ...rest } = request;
  const description = output.description ?? "Gives the answer.";
  return {
    ...rest,
    tools: [{ type: "function", name: toolName, description, schema: output.schema }],
    toolChoice: { mode: "tool", name: toolName },
    parallelToolCalls: false,
  };
}

/** Converts a call of that tool to the text that it carries; returns any other part unchanged. */
export function unwrapToolCall(part: Part): Part {
  return part.type === "tool-call" && part.name === toolName ? { type: "text", text: part.arguments } : part;
}

/** Replaces the finish reason `tool-calls` by `stop`: the call was the response. */
export function unwrapFinish(finish: Finish): Finish {
  return finish.unified === "tool-calls" ? { ...finish, unified: "stop" } : finish;
}

/** Returns a function that converts the events of one stream in the same way. */
export function createToolUnwrapper(): (event: ExchangeEvent) => ExchangeEvent {
  const carried = new Set<number>();
  return (event) => {
    if (event.type === "part-start") {
      const part = unwrapToolCall(event.part);
      if (part !== event.part) carried.add(event.index);
      return part === event.part
        ? event
        : { ...event, part: { ...(part as OpenPart), text: "" } as OpenPart };
    }
    if (event.type === "part-whole") return { ...event, part: unwrapToolCall(event.part) };
    if (event.type === "arguments-delta" && carried.has(event.index)) return { ...event, type: "text-delta" };
    return event.type === "finish" ? { ...event, finish: unwrapFinish(event.finish) } : event;
  };
}
