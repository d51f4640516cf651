import type { DecodeContext } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted, Loss } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { efforts } from "../../exchange/reasoning-effort.ts";
import type {
  ExchangeRequest,
  OutputFormat,
  ReasoningRequest,
  Sampling,
  ThreadRequest,
  Turn,
} from "../../exchange/request.ts";
import { attachSignatures, introduceSummary } from "../../exchange/signature.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { parseRequestInSteps, parseRequestPiece } from "../shared/parse.ts";
import { decodeContent } from "./decode-blocks.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { requestSchema, type WireRequest } from "./schema.ts";

const known = new Set([...Object.keys(requestSchema.shape), "mcp_servers"]);

/**
 * Matches the billing line for Anthropic at the start of Claude Code's instructions. The line changes with every call,
 * so it would prevent other vendors from caching the prompt.
 */
const attribution = /^x-anthropic-billing-header:.*\s*$/;
const lostAttribution: Loss = {
  code: "attribution",
  detail: "Billing line dropped from the instructions: it would prevent prompt caching.",
};

/** Parses a messages request body. Throws `DialectError` (400) that names the invalid member. */
export function* decodeRequest(body: unknown, { isLarge }: DecodeContext): Steps<Converted<ExchangeRequest>> {
  const wire = isLarge
    ? yield* parseRequestInSteps(requestSchema, body)
    : parseRequestPiece(requestSchema, body);
  const instructions = yield* decodeContent(wire.system, "system");
  const isAttribution = instructions[0]?.type === "text" && attribution.test(instructions[0].text);
  const value: ExchangeRequest = defined({
    model: wire.model,
    stream: wire.stream ?? false,
    instructions: instructions.slice(isAttribution ? 1 : 0),
    turns: yield* decodeTurns(wire.messages),
    tools: decodeTools(wire),
    toolChoice: decodeToolChoice(wire),
    parallelToolCalls: wire.tool_choice?.disable_parallel_tool_use === true ? false : undefined,
    sampling: decodeSampling(wire),
    reasoning: decodeReasoningRequest(wire),
    output: decodeOutput(wire),
    user: wire.metadata?.user_id ?? undefined,
    serviceTier: wire.service_tier ?? undefined,
    thread: decodeThread(wire),
    extensions: decodeExtensions(wire),
  });
  return { value, losses: isAttribution ? [lostAttribution] : [] };
}

function* decodeTurns(messages: WireRequest["messages"]): Steps<Turn[]> {
  const turns: Turn[] = [];
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  for (const [index, { role, content, clear_at }] of messages.entries()) {
    if (isPauseDue()) yield;
    // The vendor does not show such a message to the model again.
    if (role === "system" && clear_at === "next_user_message" && index < lastUser) continue;
    const parts = (yield* decodeContent(content, `messages[${index}].content`)).map(toReadable);
    // A system message without text changes only the effort (`findEffort`) or the tools (`toolsInForce`).
    if (role === "system" && parts.length === 0) continue;
    turns.push({ role, parts: role === "assistant" ? attachSignatures(parts) : parts });
  }
  return turns;
}

/**
 * Parses `thread` (beta `message-threads-2026-08-12`). The server stores the conversation of a thread, and each call
 * contains only the new messages.
 */
function decodeThread({ thread }: WireRequest): ThreadRequest | undefined {
  if (!thread) return undefined;
  return thread.type === "continue" ? { continues: thread.previous_message_id } : {};
}

function decodeSampling(wire: WireRequest): Sampling {
  return defined({
    maxOutputTokens: wire.max_tokens ?? undefined,
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    topK: wire.top_k ?? undefined,
    stop: wire.stop_sequences ?? undefined,
  });
}

/**
 * Returns the effort in force at the end of the conversation: a system message replaces the request's effort for the
 * following turns. https://platform.claude.com/docs/en/build-with-claude/effort-per-message
 */
function findEffort({ messages, output_config }: WireRequest): string | undefined {
  const update = messages.findLast((message) => message.role === "system" && message.output_config?.effort);
  return (update ?? { output_config }).output_config?.effort ?? undefined;
}

/** Converts `thinking` and the effort. Throws `DialectError` (400) if the effort is unknown. */
function decodeReasoningRequest(wire: WireRequest): ReasoningRequest | undefined {
  const name = findEffort(wire);
  const effort = efforts.find((known) => known === name);
  if (name !== undefined && effort === undefined) {
    throw invalidRequest(`Invalid value for 'output_config.effort': ${name}`, "output_config.effort");
  }
  const { thinking } = wire;
  const display = thinking?.display ?? undefined;
  const include = display === undefined ? undefined : display !== "omitted";
  if (!thinking) return effort === undefined ? undefined : { effort };
  if (thinking.type === "disabled") return { budget: 0 };
  if (thinking.type === "adaptive") return defined({ adaptive: true, effort, include });
  return defined({ budget: thinking.budget_tokens ?? undefined, effort, include });
}

function decodeOutput(wire: WireRequest): OutputFormat | undefined {
  const format = wire.output_config?.format ?? wire.output_format;
  if (!format) return undefined;
  if (format.type !== "json_schema") {
    throw invalidRequest(
      `Invalid value for 'output_config.format.type': ${format.type}`,
      "output_config.format",
    );
  }
  return { type: "json-schema", schema: format.schema ?? {}, strict: true };
}

/** Returns the members without an equivalent in the exchange. Encoders of other dialects report them as losses. */
function decodeExtensions(wire: WireRequest): ExchangeRequest["extensions"] {
  const rest = Object.entries(wire).filter(
    ([key, value]) => (key === "cache_control" || !known.has(key)) && value !== null && value !== undefined,
  );
  return rest.length === 0 ? {} : { messages: Object.fromEntries(rest) };
}

/**
 * Converts a part that exists only in this dialect into text, if text can express it: a tool that the client's search
 * has found (`tool_reference`), or a summary that replaces the earlier conversation (`compaction`). The text keeps the
 * block as its origin, so that a messages upstream receives the block itself. Returns any other part unchanged.
 */
function toReadable(part: Part): Part {
  if (part.type === "tool-result" && part.content.some(({ type }) => type === "unknown"))
    return { ...part, content: part.content.map(toReadable) };
  if (part.type !== "unknown" || !isObject(part.origin.raw)) return part;
  const text = describe(part.origin.raw);
  return text === undefined ? part : { ...part, type: "text", text };
}

function describe({ type, tool_name: name, content }: Readonly<Record<string, unknown>>): string | undefined {
  if (type === "tool_reference" && typeof name === "string") return `The tool ${name} is available.`;
  return type === "compaction" && typeof content === "string" ? introduceSummary(content) : undefined;
}
