import type { EncodeContext } from "../../exchange/codec.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { isObject } from "../../exchange/json.ts";
import { createLossList } from "../../exchange/loss.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { openAiServiceTier } from "../shared/openai-service-tier.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";
import { getErrorCode } from "./profile.ts";

/**
 * The response object without its output. It repeats the client's options, because typed clients expect every member.
 */
export interface ResponseFrame {
  readonly id: string;
  readonly created_at: number;
  readonly [member: string]: unknown;
}

export interface Identity {
  readonly id?: string;
  readonly created?: number;
  readonly model?: string;
}

/**
 * Returns a response id with the prefix `resp_`, which clients check. An id that has the prefix stays unchanged; any
 * other id loses the characters that are not letters, digits, `-` or `_`.
 */
export function responseId(id: string | undefined, context: EncodeContext): string {
  const own = id === undefined || id === "" ? context.fallbackId : id;
  return own.startsWith("resp_") ? own : `resp_${own.replace(/[^a-zA-Z0-9_-]/g, "")}`;
}

/** Creates the response object at the start of a response. */
export function createFrame(identity: Identity, context: EncodeContext): ResponseFrame {
  const { request } = context;
  const { sampling, reasoning } = request;
  const own = request.extensions.responses ?? {};
  return {
    id: responseId(identity.id, context),
    object: "response",
    created_at: identity.created ?? Math.floor(context.now / 1000),
    status: "in_progress",
    background: request.background ?? false,
    completed_at: null,
    error: null,
    frequency_penalty: sampling.frequencyPenalty ?? 0,
    incomplete_details: null,
    instructions: firstInstruction(context),
    max_output_tokens: sampling.maxOutputTokens ?? null,
    max_tool_calls: typeof own["max_tool_calls"] === "number" ? own["max_tool_calls"] : null,
    model: identity.model ?? context.model,
    output: [],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    presence_penalty: sampling.presencePenalty ?? 0,
    previous_response_id: request.previousResponseId ?? null,
    prompt_cache_key: request.cacheKey ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    safety_identifier: request.safetyIdentifier ?? null,
    service_tier: request.serviceTier ?? "auto",
    store: request.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: { format: echoFormat(context), verbosity: request.verbosity ?? "medium" },
    tool_choice: encodeToolChoice(request) ?? "auto",
    tools: encodeTools(request.tools, createLossList()).map(withAllMembers),
    top_logprobs: sampling.topLogprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: own["truncation"] === "auto" ? "auto" : "disabled",
    usage: null,
    user: request.safetyIdentifier === undefined ? (request.user ?? null) : null,
    metadata: request.metadata ?? {},
  };
}

/** Returns a declared function with the members that are optional in requests and required in responses. */
function withAllMembers(tool: unknown): unknown {
  if (!isObject(tool) || tool["type"] !== "function") return tool;
  const { description = null, parameters = null, ...rest } = tool;
  return { ...rest, description, parameters };
}

function firstInstruction(context: EncodeContext): string | null {
  const [first] = context.request.instructions;
  return first?.type === "text" ? first.text : null;
}

function echoFormat(context: EncodeContext): unknown {
  const output = context.request.output ?? { type: "text" };
  if (output.type === "text") return { type: "text" };
  if (output.type === "json") return { type: "json_object" };
  const { name = "answer", description = null, schema, strict = false } = output;
  return { type: "json_schema", name, description, schema, strict };
}

export type FinalStatus = Readonly<Record<string, unknown>> & { readonly status: string };

export type MessageStatus = "incomplete" | "completed";

/** Returns the status of a message that is the last item of a response. */
export function getLastStatus({ status }: FinalStatus): MessageStatus {
  return status === "incomplete" ? "incomplete" : "completed";
}

/** Returns the status and details for a finish reason. `refused` means that the response contains a refusal. */
export function getFinalStatus(finish: Finish, refused: boolean): FinalStatus {
  switch (finish.unified) {
    case "length":
    case "context-overflow":
    case "pause":
      return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    case "content-filter":
      return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    case "refusal":
      return refused
        ? { status: "completed" }
        : { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    case "error":
      return {
        status: "failed",
        error: {
          code: "server_error",
          message: finish.message ?? `The model failed: ${finish.raw ?? "error"}.`,
        },
      };
    default:
      return { status: "completed" };
  }
}

/** Returns the status and error of a failed response. */
export function getFailure(error: ExchangeError): FinalStatus {
  return { status: "failed", error: { code: getErrorCode(error) ?? "server_error", message: error.message } };
}

/**
 * Returns the member `service_tier`; an empty object if the upstream reported no tier that OpenAI's API defines, so
 * that the frame's value remains.
 */
export function encodeServiceTier(usage: Usage | undefined): { readonly service_tier?: string } {
  const tier = openAiServiceTier(usage);
  return tier === undefined ? {} : { service_tier: tier };
}

/** Encodes the token counts. The input count includes cached tokens, and the output count includes reasoning. */
export function encodeUsage(usage: Usage | undefined) {
  const input = usage?.input.total ?? 0;
  const output = usage?.output.total ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage?.input.cacheRead ?? 0,
      cache_write_tokens: usage?.input.cacheWrite ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage?.output.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
