import type { Part } from "./parts.ts";
import type { HostedTool } from "./request.ts";

/** Loss codes and their descriptions. `docs/reference/translation.md` lists them. */
export const lossCodes = {
  "answer-citation": "Citations in the response were dropped.",
  "assistant-prefill": "The model starts a new message instead of continuing the assistant's last one.",
  "assistant-turn": "An assistant message was inserted between tool results and the next user message.",
  attribution: "The client's billing line at the start of the instructions was dropped.",
  "cache-control":
    "Prompt-cache breakpoints were dropped: all, or the first ones if there were more than four.",
  "call-signature": "A tool call's signature was dropped: this vendor did not create it.",
  candidates: "Fewer candidates were requested, or only the first is returned.",
  "custom-tool": "A custom (free-text) tool was dropped.",
  "document-citations": "The request for citations of a document was dropped.",
  "document-context": "A document's `context` was dropped.",
  "file-reference": "A reference to a file at another vendor was dropped.",
  "first-turn": "A user message was inserted before the first assistant message.",
  "frequency-penalty": "`frequency_penalty` was dropped.",
  "image-detail": "An image's `detail` was dropped.",
  "incomplete-call": "A tool call whose arguments are not a JSON object was dropped from the response.",
  "json-schema": "The response is JSON but may not match the schema.",
  "logit-bias": "`logit_bias` was dropped.",
  logprobs: "The request for log probabilities was dropped.",
  mask: "An image edit's `mask` was dropped.",
  "max-tokens":
    "The output token limit was lowered to the model's maximum or raised to the vendor's minimum.",
  metadata: "`metadata` was dropped.",
  modalities: "The response contains text only.",
  name: "A message's `name` was dropped.",
  "parallel-tool-calls":
    "The limit of one tool call at a time was not sent. The proxy drops tool calls after the first one.",
  "part-signature":
    "The signature of a text or image was dropped: this vendor did not create it, the client's dialect cannot carry it, or a later one of the same message was kept.",
  "presence-penalty": "`presence_penalty` was dropped.",
  "previous-response-id": "`previous_response_id` was dropped.",
  "prompt-cache-key": "`prompt_cache_key` was dropped.",
  reasoning: "Earlier reasoning was dropped: it has no signature for this vendor.",
  "reasoning-effort": "The reasoning effort was changed to one that the model supports, or was dropped.",
  "reasoning-signature": "Earlier reasoning was dropped: another vendor signed it.",
  seed: "`seed` was dropped.",
  "service-tier": "`service_tier` was dropped.",
  size: "Only the aspect ratio of an image's `size` was requested.",
  stop: "Some or all stop sequences were not sent to the upstream. The proxy ends the response at them.",
  store: "The response is not stored by the upstream.",
  strict: "Tool arguments may not match the schema: `strict` was dropped.",
  "structured-output": "The response may not have the requested format.",
  "system-position":
    "A system message within the conversation became a marked part of a user message; instructions without any message became a user message.",
  "task-type": "`taskType` of embeddings was dropped.",
  temperature: "`temperature` was lowered to the model's maximum, or dropped.",
  title: "`title` of a text to embed was dropped.",
  "tool-arguments": "Tool arguments that are not a JSON object were sent as a string inside an object.",
  "tool-choice": "The model may respond without a tool call although one was required.",
  "tool-result-duplicate": "A second result of a tool call was dropped.",
  "tool-result-missing": "A tool call without a result received an error result.",
  "tool-result-orphan": "A tool result without an earlier call was dropped.",
  tools: "Tools were dropped: the dialect does not support them.",
  "top-k": "`top_k` was dropped.",
  "top-p": "`top_p` was dropped.",
  user: "`user` was dropped.",
  verbosity: "`verbosity` was dropped.",
  "web-search-options": "Some or all web search options (domains, location, context size) were dropped.",
} as const;

/** Patterns of loss codes. The ellipsis stands for a kind of part or tool, or for a keyword. */
export const lossFamilies = {
  "…": "A part of this kind (`image`, `audio`, `server-tool`, `unknown` …) was dropped from the request.",
  "answer-…": "A part of this kind was dropped from the response.",
  "assistant-…": "A part of this kind was dropped from an assistant message.",
  "system-…": "A part of this kind was dropped from the instructions.",
  "…-url": "A part of this kind given by URL was dropped: the upstream requires its bytes.",
  "hosted-tool-…": "A vendor-hosted tool of this kind was dropped.",
  "schema-…": "A JSON Schema keyword was dropped or approximated.",
} as const;

type PartFamily =
  | Part["type"]
  | `${"answer" | "assistant" | "system"}-${Part["type"]}`
  | `${Part["type"]}-url`;
type ToolFamily = `hosted-tool-${HostedTool["tool"]}`;

declare const member: unique symbol;
/** Code for a member without an equivalent in the other dialect. `memberCode` derives it from the member's name. */
export type MemberCode = string & { readonly [member]: true };

/**
 * The stable code of a loss, in kebab case, except that a code for a JSON Schema keyword keeps the keyword's spelling
 * (`schema-anyOf`).
 */
export type LossCode = keyof typeof lossCodes | PartFamily | ToolFamily | `schema-${string}` | MemberCode;

/** Returns the loss code of a member: `context-management` for `context_management` and `contextManagement`. */
export function memberCode(name: string): MemberCode {
  return kebab(name) as MemberCode;
}

function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}
