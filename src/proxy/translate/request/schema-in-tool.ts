import type { Capabilities } from "../../exchange/capabilities.ts";
import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Finish } from "../../exchange/response.ts";

/** The name of the tool whose arguments are the answer. */
const toolName = "structured_answer";

/**
 * An answer's schema for models of the messages dialect that know none: a tool of that schema which must be called, the
 * way the vendor itself describes for them. Only where the client has no tools of its own to be called instead.
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

/** The carrying tool's call as the text it stands for. */
export function unwrapToolCall(part: Part): Part {
  return part.type === "tool-call" && part.name === toolName ? { type: "text", text: part.arguments } : part;
}

/** See `unwrapToolCall`: calling the tool was answering. */
export function unwrapFinish(finish: Finish): Finish {
  return finish.unified === "tool-calls" ? { ...finish, unified: "stop" } : finish;
}

/** The same for a stream, event by event. */
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
