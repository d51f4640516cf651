import type { Capabilities } from "../../exchange/capabilities.ts";
import { defined } from "../../exchange/defined.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import { asksToThink, clampEffort, resolveBudget, resolveEffort } from "../../exchange/reasoning-effort.ts";
import type { ExchangeRequest, ReasoningRequest } from "../../exchange/request.ts";

/** The vendor's minimum for `budget_tokens`. */
const minBudget = 1_024;
/** Budget in tokens if the model requires a budget and the request does not set one. */
const defaultBudget = 8_192;
/** Minimum share of `max_tokens` that remains for text, because thinking counts toward `max_tokens`. */
const MIN_TEXT_SHARE = 1 / 5;

/** Returns the thinking tokens to add to the default output limit, so that the limit remains available for text. */
export function thinkingAllowance({ reasoning }: ExchangeRequest, capabilities: Capabilities): number {
  if (!asksToThink(reasoning) || capabilities.reasoning !== "budget") return 0;
  return resolveBudget(reasoning) ?? defaultBudget;
}

export interface EncodedThinking {
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: string;
}

/** The beta feature of `thinking.block_binding`. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/**
 * Encodes `thinking` and `output_config.effort` in the form that the model supports. Drops thinking that the vendor
 * would reject in this call, and adds a loss. If the request returns thinking to a model that binds it to the
 * conversation, requests that the vendor drops it if the conversation has changed, because clients of other dialects
 * may edit their history. The upstream must accept the request's tool choice.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
export function encodeThinking(
  request: ExchangeRequest,
  maxTokens: number,
  capabilities: Capabilities,
  list: LossList,
): EncodedThinking {
  const encoded = encodeAmount(request, maxTokens, capabilities, list);
  // These models think by default.
  const { thinking = { type: "adaptive" } } = encoded;
  const isBound = capabilities.bindsThinking && request.turns.some(({ parts }) => parts.some(isSigned));
  if (!isBound || thinking["type"] !== "adaptive" || isForced(request)) return encoded;
  return {
    ...encoded,
    thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } },
  };
}

function isSigned(part: Part): boolean {
  return part.type === "reasoning" && part.vendor === "messages" && part.signature !== undefined;
}

function encodeAmount(
  request: ExchangeRequest,
  maxTokens: number,
  capabilities: Capabilities,
  list: LossList,
): EncodedThinking {
  const { reasoning } = request;
  if (!asksToThink(reasoning)) return {};
  const effort = resolveEffort(reasoning);
  if (capabilities.reasoning === "none") {
    if (effort !== "none")
      list.add("reasoning-effort", "Reasoning effort dropped: the model does not reason.");
    return {};
  }
  if (effort === "none" && !capabilities.alwaysThinks) return { thinking: { type: "disabled" } };
  if (effort === "none") list.add("reasoning-effort", "Reasoning not disabled: the model always reasons.");
  const known = effort === undefined ? undefined : clampEffort(effort, capabilities.efforts);
  const effortMember = known === undefined ? {} : { effort: known };
  if (effort !== undefined && known !== effort && capabilities.reasoning !== "budget") {
    list.add(
      "reasoning-effort",
      known === undefined
        ? `Reasoning effort ${effort} dropped: the model does not support it.`
        : `Reasoning effort ${effort} sent as ${known}: the model does not support ${effort}.`,
    );
  }
  if (isForced(request)) {
    list.add(
      "reasoning-effort",
      "Reasoning dropped: the vendor does not support it with a forced tool choice.",
    );
    return effortMember;
  }
  const display = encodeDisplay(reasoning, capabilities);
  if (capabilities.reasoning !== "budget")
    return { thinking: defined({ type: "adaptive", display }), ...effortMember };
  const wanted = Math.max(resolveBudget(reasoning) ?? defaultBudget, minBudget);
  const budget = Math.min(wanted, Math.floor(maxTokens * (1 - MIN_TEXT_SHARE)));
  if (budget < minBudget) {
    const least = Math.ceil(minBudget / (1 - MIN_TEXT_SHARE));
    list.add("reasoning-effort", `Reasoning dropped: it requires max_tokens of at least ${least}.`);
    return effortMember;
  }
  if (budget < wanted)
    list.add(
      "reasoning-effort",
      `Reasoning budget of ${wanted} tokens lowered to ${budget}: max_tokens is ${maxTokens}.`,
    );
  if (hasUnsignedCalls(request)) {
    list.add(
      "reasoning-effort",
      "Reasoning dropped: the tool calls in progress have no reasoning of this vendor.",
    );
    return effortMember;
  }
  return { thinking: defined({ type: "enabled", budget_tokens: budget, display }), ...effortMember };
}

/**
 * Encodes whether the model returns the text of its thinking. Only clients of this dialect expect that a model omits it
 * by default.
 */
function encodeDisplay(
  { adaptive, effort, include }: ReasoningRequest,
  { hidesThinking }: Capabilities,
): string | undefined {
  if (include === false) return "omitted";
  if (!hidesThinking || effort === "none") return undefined;
  return include === true || adaptive !== true ? "summarized" : undefined;
}

function isForced({ tools, toolChoice }: ExchangeRequest): boolean {
  return tools.length > 0 && (toolChoice?.mode === "required" || toolChoice?.mode === "tool");
}

/** Returns whether the tool results at the end belong to an assistant turn without signed thinking. */
function hasUnsignedCalls(request: ExchangeRequest): boolean {
  const last = request.turns.at(-1);
  if (last?.role !== "user" || !last.parts.some((part) => part.type === "tool-result")) return false;
  const before = request.turns.findLast((turn) => turn.role === "assistant");
  return !(before?.parts ?? []).some(isSigned);
}
