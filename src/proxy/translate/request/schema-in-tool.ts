import { getUpstreamProfile } from "../../dialects/index.ts";
import type { Capabilities } from "../../exchange/capabilities.ts";
import type { ExchangeEvent, OpenPart } from "../../exchange/event.ts";
import type { Part, UpstreamDialect } from "../../exchange/parts.ts";
import type { ExchangeRequest, FunctionTool } from "../../exchange/request.ts";
import type { Finish } from "../../exchange/response.ts";

/** The name of the tool whose arguments are the response. */
const toolName = "structured_answer";

/**
 * Replaces a response format with a tool of the same schema and a forced call of that tool, as the vendor of the
 * messages dialect recommends. A schema is replaced if the model has no structured output, and JSON without a schema if
 * the dialect requires a schema. Returns undefined if nothing is replaced or the client has tools.
 */
export function wrapSchemaInTool(
  request: ExchangeRequest,
  dialect: UpstreamDialect,
  capabilities: Capabilities,
): ExchangeRequest | undefined {
  if (request.tools.length > 0) return undefined;
  const format = formatOfTool(request, dialect, capabilities);
  if (format === undefined) return undefined;
  const { output: _, ...rest } = request;
  return {
    ...rest,
    tools: [{ type: "function", name: toolName, ...format }],
    toolChoice: capabilities.toolChoices.includes("tool")
      ? { mode: "tool", name: toolName }
      : { mode: "required" },
    parallelToolCalls: false,
  };
}

/** Returns the description and schema of the tool; undefined if no tool is needed or a call cannot be forced. */
function formatOfTool(
  { output }: ExchangeRequest,
  dialect: UpstreamDialect,
  capabilities: Capabilities,
): Pick<FunctionTool, "description" | "schema"> | undefined {
  if (!canForceCall(dialect, capabilities)) return undefined;
  if (output?.type === "json-schema") {
    if (capabilities.structuredOutput !== "none") return undefined;
    return { description: output.description ?? "Gives the answer.", schema: output.schema };
  }
  if (output?.type !== "json" || getUpstreamProfile(dialect).acceptsJsonWithoutSchema) return undefined;
  return {
    description: "Gives the answer: a JSON object with the members that the conversation asks for.",
    schema: { type: "object" },
  };
}

function canForceCall(dialect: UpstreamDialect, { toolChoices, alwaysThinks }: Capabilities): boolean {
  if (alwaysThinks && !getUpstreamProfile(dialect).forcesCallsWhileThinking) return false;
  return toolChoices.includes("tool") || toolChoices.includes("required");
}

/** Converts a call of the tool `structured_answer` to a text with its arguments; returns any other part unchanged. */
export function unwrapToolCall(part: Part): Part {
  return part.type === "tool-call" && part.name === toolName ? { type: "text", text: part.arguments } : part;
}

/** Replaces the finish reason `tool-calls` with `stop`, because the tool call is the response. */
export function unwrapFinish(finish: Finish): Finish {
  return finish.unified === "tool-calls" ? { ...finish, unified: "stop" } : finish;
}

/** Returns a function that applies `unwrapToolCall` and `unwrapFinish` to the events of one stream. */
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
    if (event.type === "part-end" && event.part !== undefined)
      return { ...event, part: unwrapToolCall(event.part) };
    if (event.type === "arguments-delta" && carried.has(event.index)) return { ...event, type: "text-delta" };
    return event.type === "finish" ? { ...event, finish: unwrapFinish(event.finish) } : event;
  };
}
