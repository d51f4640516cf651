import type { Part } from "./parts.ts";
import type { HostedTool } from "./request.ts";

/** What a conversion may lose, by the code it is told under, and in one sentence. `docs/reference/translation.md` lists them. */
export const lossCodes = {
  "answer-citation": "Citations in the answer were left out.",
  "assistant-prefill": "The model answers anew instead of continuing the assistant's last words.",
  attribution: "The line that a client opens its instructions with for its own vendor's books was left out.",
  "cache-control": "Breakpoints for a prompt cache were left out, all or those beyond the fourth.",
  "call-signature": "The signature of a call was left out: it means nothing to this vendor.",
  candidates: "Only one answer was asked for, or the first of several is given.",
  "custom-tool": "A tool of free text was left out.",
  "document-citations": "Citations of a document were not asked for.",
  "document-context": "A document's context was left out.",
  "file-reference": "A file uploaded to another vendor was left out.",
  "first-turn": "A turn of the user was put in front of the assistant's first.",
  "frequency-penalty": "The frequency penalty was left out.",
  "image-detail": "How closely to look at a picture was left out.",
  "incomplete-call": "A call whose arguments are no JSON object was left out of the answer.",
  "json-schema": "The model promises JSON, but not the schema.",
  "logit-bias": "The bias of tokens was left out.",
  logprobs: "Log probabilities were not asked for.",
  mask: "The mask of a picture was left out.",
  "max-tokens": "The limit of the answer was lowered to the model's own, or raised to the vendor's least.",
  metadata: "Metadata were left out.",
  modalities: "The answer will be of text alone.",
  name: "The author's name of a message was left out.",
  "parallel-tool-calls": "The model may call several tools at once.",
  "part-signature":
    "The signature of a text or a picture was left out: it means nothing to this vendor, or the client's dialect has no place for it.",
  "presence-penalty": "The presence penalty was left out.",
  "previous-response-id": "An earlier answer was not referred to.",
  "prompt-cache-key": "The key of a prompt cache was left out.",
  reasoning: "Earlier thinking was left out: its vendor did not sign it for this one.",
  "reasoning-effort": "How much to think was changed to what the model knows, or left out.",
  "reasoning-signature": "Earlier thinking was left out: another vendor signed it.",
  seed: "The seed was left out.",
  "service-tier": "The service tier was left out.",
  size: "Of a picture's size only its shape was asked for.",
  stop: "Stop sequences were left out, all or some.",
  store: "The answer was not asked to be stored.",
  strict: "Arguments are not held to their schema.",
  "structured-output": "The answer's form is not promised.",
  "system-position":
    "An instruction in mid-conversation became a marked part of the user's turn, or instructions alone all of it.",
  "task-type": "What embeddings are for was left out.",
  temperature: "The temperature was lowered to the vendor's highest, or left out.",
  title: "The title of a text to embed was left out.",
  "tool-arguments": "Arguments that are no JSON object became the object's one text.",
  "tool-result-duplicate": "A second result for a call was left out.",
  "tool-result-missing": "A call without a result was given an error for one.",
  "tool-result-orphan": "A result without a call was left out.",
  tools: "Tools were left out: the dialect has none.",
  "top-k": "`top_k` was left out.",
  "top-p": "`top_p` was left out.",
  user: "Who the user is was left out.",
  verbosity: "How verbose to be was left out.",
  "web-search-options": "What a web search was to heed (domains, place, depth) was left out, all or some.",
} as const;

/** Codes that are alike, by their form: the ellipsis is a kind of part, of tool or of keyword. */
export const lossFamilies = {
  "…": "A part of this kind (`image`, `audio`, `server-tool`, `unknown` …) was left out of the conversation.",
  "answer-…": "A part of this kind was left out of the answer.",
  "assistant-…": "A part of this kind was left out of an assistant's turn.",
  "system-…": "A part of this kind was left out of the instructions.",
  "…-url": "A part of this kind, told by its address, was left out: its bytes are wanted.",
  "hosted-tool-…": "A tool of this kind, which runs at its vendor, was left out.",
  "schema-…": "This keyword of a JSON Schema could not be said, or not in full.",
} as const;

type PartFamily =
  | Part["type"]
  | `${"answer" | "assistant" | "system"}-${Part["type"]}`
  | `${Part["type"]}-url`;
type ToolFamily = `hosted-tool-${HostedTool["tool"]}`;

declare const member: unique symbol;
/** A member of a body or a tool that one dialect has and the other has no word for, by its own name. */
export type MemberCode = string & { readonly [member]: true };

/** What a loss is told under: short, stable, kebab-case. */
export type LossCode = keyof typeof lossCodes | PartFamily | ToolFamily | `schema-${string}` | MemberCode;

/** The code of a member without a twin: `context_management` and `contextManagement` are `context-management`. */
export function memberCode(name: string): MemberCode {
  return kebab(name) as MemberCode;
}

/** A name in kebab-case. */
function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}
