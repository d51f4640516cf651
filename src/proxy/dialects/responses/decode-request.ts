import type { z } from "zod";
import type { DecodeContext } from "../../exchange/codec.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type {
  ExchangeRequest,
  OutputFormat,
  ReasoningRequest,
  Sampling,
  Tool,
  Turn,
} from "../../exchange/request.ts";
import { attachSignatures } from "../../exchange/signature.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { parseRequestInSteps, parseRequestPiece } from "../shared/parse.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { type DecodedItem, decodeItem } from "./decode-items.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { formatSchema, requestSchema, updateSchema } from "./schema.ts";

type WireRequest = z.output<typeof requestSchema>;

const ENCRYPTED_REASONING = "reasoning.encrypted_content";
const textLogprobs = "message.output_text.logprobs";

/** Members with an equivalent in the exchange. All other members are extensions. */
const known = new Set(Object.keys(requestSchema.shape));

/** Parses the body of `POST /v1/responses`. Throws `DialectError` (400) that names the invalid member. */
export function* decodeRequest(body: unknown, context: DecodeContext): Steps<Converted<ExchangeRequest>> {
  const wire = context.isLarge
    ? yield* parseRequestInSteps(requestSchema, body)
    : parseRequestPiece(requestSchema, body);
  const model = wire.model ?? context.model;
  if (typeof model !== "string" || model === "") {
    throw invalidRequest("Missing required parameter: 'model'.", "model");
  }
  const { instructions, turns } = yield* decodeInput(wire);
  const tools = yield* decodeToolsInForce(wire);
  const toolChoice = isPresent(wire.tool_choice) ? decodeToolChoice(wire.tool_choice, tools) : undefined;
  const value: ExchangeRequest = {
    model,
    stream: wire.stream === true,
    instructions,
    turns,
    tools,
    sampling: decodeSampling(wire),
    ...withoutNullish({
      toolChoice,
      parallelToolCalls: wire.parallel_tool_calls,
      reasoning: decodeReasoningRequest(wire),
      output: decodeFormat(wire.text?.format),
      user: wire.safety_identifier ?? wire.user,
      safetyIdentifier: wire.safety_identifier,
      cacheKey: wire.prompt_cache_key,
      serviceTier: wire.service_tier,
      verbosity: wire.text?.verbosity,
      metadata: wire.metadata,
      previousResponseId: wire.previous_response_id,
      store: wire.store,
      background: wire.background,
    }),
    extensions: decodeExtensions(wire, toolChoice === undefined && isPresent(wire.tool_choice)),
  };
  return { value, losses: [] };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function* decodeInput(wire: WireRequest): Steps<{ instructions: Part[]; turns: Turn[] }> {
  const instructions = yield* decodeInstructions(wire.instructions);
  const input = wire.input ?? [];
  if (typeof input === "string") {
    return { instructions, turns: [{ role: "user", parts: [{ type: "text", text: input }] }] };
  }
  const items = yield* decodeItems(input, "input");
  const opening = items.findIndex((item) => item.role !== "system");
  const leading = items.slice(0, opening < 0 ? items.length : opening);
  return {
    instructions: [...instructions, ...leading.flatMap((item) => item.parts)],
    turns: groupTurns(items.slice(leading.length)),
  };
}

function* decodeItems(values: readonly unknown[], where: string): Steps<DecodedItem[]> {
  const items: DecodedItem[] = [];
  for (const [index, value] of values.entries()) {
    if (isPauseDue()) yield;
    if (isConfigurationUpdate(value) || isAdditionalTools(value)) continue;
    items.push(yield* decodeItem(value, `${where}[${index}]`));
  }
  return items;
}

function isAdditionalTools(item: unknown): boolean {
  return isObject(item) && item["type"] === "additional_tools";
}

function isConfigurationUpdate(item: unknown): boolean {
  return isObject(item) && item["type"] === "configuration_update";
}

/**
 * Returns the effort in force at the end of the input: the one in the last item of type `configuration_update`, or else
 * the request's. https://developers.openai.com/api/docs/guides/reasoning
 */
function findEffort({ input, reasoning }: WireRequest): ReasoningRequest["effort"] | null {
  const items = Array.isArray(input) ? input : [];
  const index = items.findLastIndex(isConfigurationUpdate);
  const update = index < 0 ? undefined : parseRequestPiece(updateSchema, items[index], `input[${index}]`);
  return update?.reasoning?.effort ?? reasoning?.effort;
}

/**
 * Converts the tools of the request and those that items of the input have added (`additional_tools`) or that a search
 * has found. A later definition replaces an earlier one of the same name.
 */
function* decodeToolsInForce({ tools, input }: WireRequest): Steps<Tool[]> {
  const own = yield* decodeTools(tools ?? []);
  if (!Array.isArray(input) || !input.some(hasTools)) return own;
  const keyOf = (tool: Tool) => (tool.type === "hosted" ? tool : tool.name);
  const named = new Map(own.map((tool) => [keyOf(tool), tool]));
  for (const [index, item] of input.entries()) {
    if (!hasTools(item)) continue;
    for (const tool of yield* decodeTools(item.tools, `input[${index}].tools`)) named.set(keyOf(tool), tool);
  }
  return [...named.values()];
}

function hasTools(item: unknown): item is { readonly tools: readonly unknown[] } {
  if (!isObject(item) || !Array.isArray(item["tools"])) return false;
  return item["type"] === "additional_tools" || item["type"] === "tool_search_output";
}

/** Converts `instructions`: a string, or items if the client sends a response object back. */
function* decodeInstructions(instructions: WireRequest["instructions"]): Steps<Part[]> {
  if (typeof instructions === "string") {
    return instructions === "" ? [] : [{ type: "text", text: instructions }];
  }
  const items = yield* decodeItems(instructions ?? [], "instructions");
  return items.flatMap((item) => item.parts);
}

/**
 * Groups items into turns: consecutive assistant items are one turn, and so are tool results with the user messages
 * directly before and after them. Two consecutive user messages stay two turns.
 */
function groupTurns(items: readonly DecodedItem[]): Turn[] {
  const turns: { role: Turn["role"]; parts: Part[] }[] = [];
  let before: DecodedItem | undefined;
  for (const item of items) {
    const current = turns.at(-1);
    const joins =
      current !== undefined &&
      current.role === item.role &&
      (item.role === "assistant" || item.kind === "result" || before?.kind === "result");
    if (joins) current.parts.push(...item.parts);
    else turns.push({ role: item.role, parts: [...item.parts] });
    before = item;
  }
  return turns.map((turn) =>
    turn.role === "assistant" ? { role: turn.role, parts: attachSignatures(turn.parts) } : turn,
  );
}

function decodeSampling(wire: WireRequest): Sampling {
  return withoutNullish({
    maxOutputTokens: wire.max_output_tokens,
    temperature: wire.temperature,
    topP: wire.top_p,
    presencePenalty: wire.presence_penalty,
    frequencyPenalty: wire.frequency_penalty,
    topLogprobs: wire.top_logprobs,
    logprobs: wire.include?.includes(textLogprobs) ? true : undefined,
  });
}

function decodeReasoningRequest(wire: WireRequest): ReasoningRequest | undefined {
  const encrypted = wire.include?.includes(ENCRYPTED_REASONING) ? true : undefined;
  const summary = wire.reasoning?.summary ?? wire.reasoning?.generate_summary;
  const members = withoutNullish({
    effort: findEffort(wire),
    summary,
    include: typeof summary === "string" && summary !== "none" ? true : undefined,
    encrypted,
  });
  return Object.keys(members).length === 0 ? undefined : members;
}

function decodeFormat(value: unknown): OutputFormat | undefined {
  if (!isPresent(value)) return undefined;
  const format = parseRequestPiece(formatSchema, value, "text.format");
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") return { type: "text" };
  return {
    type: "json-schema",
    schema: format.schema,
    ...withoutNullish({ name: format.name, description: format.description, strict: format.strict }),
  };
}

function decodeExtensions(wire: WireRequest, forcesHosted: boolean): ExchangeRequest["extensions"] {
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wire)) {
    if (!known.has(name) && isPresent(value)) own[name] = value;
  }
  if (forcesHosted) own["tool_choice"] = wire.tool_choice;
  const include = wire.include?.filter((name) => name !== ENCRYPTED_REASONING && name !== textLogprobs) ?? [];
  if (include.length > 0) own["include"] = include;
  return Object.keys(own).length > 0 ? { responses: own } : {};
}
