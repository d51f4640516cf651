import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { isCreatedCallId, toCallId } from "../../exchange/tool-call-id.ts";
import { mergeTurns } from "../../exchange/turns.ts";
import { loseDocumentOptions } from "../shared/losses.ts";
import { markSystemTurn } from "../shared/system-turns.ts";
import {
  encodeArguments,
  encodeMedia,
  encodeText,
  encodeThought,
  keptPart,
  type WireObject,
} from "./encode-parts.ts";
import { profile } from "./profile.ts";

/**
 * The placeholder that the vendor accepts as the signature of a call that another vendor's model made. Models with
 * thinking levels reject unsigned calls (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
const unsignedCall = "skip_thought_signature_validator";

/**
 * Encodes a conversation as contents with alternating roles. A system message within the conversation becomes user text
 * wrapped in `<system>`.
 */
export function* encodeContents(
  request: ExchangeRequest,
  capabilities: Capabilities,
  losses: LossList,
): Steps<WireObject[]> {
  const names = collectCallNames(request.turns);
  if (request.turns.some((turn) => turn.name !== undefined))
    losses.add("name", "`name` dropped: messages of this dialect have none.");
  const turns = mergeTurns(request.turns.map((turn) => markSystemTurn(turn, losses)));
  const contents: { readonly role: "model" | "user"; readonly parts: WireObject[] }[] = [];
  for (const turn of turns) {
    if (isPauseDue()) yield;
    const signer = createSigner(capabilities);
    const around = { names, signer, capabilities, losses };
    const parts: WireObject[] = [];
    for (const part of turn.parts) {
      if (isPauseDue()) yield;
      parts.push(...encodePart(part, turn, around));
    }
    if (parts.length === 0) continue;
    const role = turn.role === "assistant" ? "model" : "user";
    const before = contents.at(-1);
    // Empty turns are dropped, which can leave adjacent turns of the same role.
    if (before?.role === role) before.parts.push(...parts);
    else contents.push({ role, parts });
  }
  const [first] = contents;
  // The vendor rejects a tool call at the start of the conversation.
  if (first?.role === "model" && first.parts.some((part) => "functionCall" in part)) {
    losses.add("first-turn", "User message inserted: the vendor requires one before the first tool call.");
    contents.unshift({ role: "user", parts: [{ text: "Continue." }] });
  }
  if (contents.at(-1)?.role === "model" && !capabilities.acceptsPrefill) {
    losses.add(
      "assistant-prefill",
      "The model starts a new message instead of continuing the assistant's last one.",
    );
    contents.push({ role: "user", parts: [{ text: "Continue." }] });
  }
  return contents;
}

interface Surroundings {
  /** Tool names by the id of the call, because a result in this dialect requires the name of its tool. */
  readonly names: ReadonlyMap<string, string>;
  readonly signer: (part: ToolCallPart) => string | undefined;
  readonly capabilities: Capabilities;
  readonly losses: LossList;
}

function collectCallNames(turns: readonly Turn[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const turn of turns) {
    for (const part of turn.parts) if (part.type === "tool-call") names.set(part.id, part.name);
  }
  return names;
}

/**
 * Creates a function that returns the signature of a tool call. Pass it the calls of one turn in order: the vendor
 * signs only the first of several parallel calls, so only the first call gets a placeholder.
 */
function createSigner(capabilities: Capabilities): Surroundings["signer"] {
  let isFirst = true;
  return (part) => {
    const isNeeded = isFirst && capabilities.reasoning === "level";
    isFirst = false;
    return part.signature ?? (isNeeded ? unsignedCall : undefined);
  };
}

function encodePart(part: Part, turn: Turn, around: Surroundings): WireObject[] {
  const { capabilities, losses } = around;
  switch (part.type) {
    case "text":
      return part.text === "" && part.signature === undefined ? [] : [encodeText(part)];
    case "refusal":
      return part.text === "" ? [] : [{ text: part.text }];
    case "image":
      if ((part.detail ?? "auto") !== "auto")
        losses.add("image-detail", "`detail` dropped: the upstream has no equivalent.");
      return some(encodeMedia(part, capabilities.images, losses));
    case "document":
      loseDocumentOptions(part, losses);
      return some(encodeMedia(part, capabilities.documents, losses));
    case "audio":
      return some(encodeMedia(part, capabilities.audio ? "any" : "none", losses));
    case "video":
      return some(encodeMedia(part, "any", losses));
    case "reasoning":
      return encodeOwnThought(part, losses);
    case "tool-call":
      return [encodeCall(part, around)];
    case "tool-result":
      return encodeResult(part, around);
    default:
      return encodeKept(part, turn, losses);
  }
}

function some(part: WireObject | undefined): WireObject[] {
  return part === undefined ? [] : [part];
}

function encodeOwnThought(part: Extract<Part, { type: "reasoning" }>, losses: LossList): WireObject[] {
  if (part.vendor === "generative-language") return [encodeThought(part)];
  const code = part.signature === undefined ? "reasoning" : "reasoning-signature";
  losses.add(code, "Earlier reasoning dropped: another vendor created it.");
  return [];
}

function encodeCall(part: ToolCallPart, around: Surroundings): WireObject {
  const encoded = encodeArguments(part);
  if (encoded === undefined)
    around.losses.add("tool-arguments", "Tool arguments sent as text: they are not a JSON object.");
  const args = encoded ?? { input: part.arguments };
  const thoughtSignature = around.signer(part);
  return {
    functionCall: withId(part.id, { name: part.name, args }),
    thoughtSignature,
  };
}

/** Adds the id of a call to `members`, unless the proxy created the id. */
function withId(id: string, members: WireObject): WireObject {
  return isCreatedCallId(id) ? members : { id: toCallId(profile.callIds, id), ...members };
}

function encodeResult(part: ToolResultPart, around: Surroundings): WireObject[] {
  const name = part.name ?? around.names.get(part.callId) ?? part.callId;
  const texts: string[] = [];
  const media: WireObject[] = [];
  for (const inner of part.content) {
    if (inner.type === "text") texts.push(inner.text);
    else media.push(...encodePart(inner, { role: "user", parts: [] }, around));
  }
  const text = texts.join("\n");
  const response = part.structured ?? (part.isError === true ? { error: text } : { output: text });
  return [{ functionResponse: withId(part.callId, { name, response }) }, ...media];
}

function encodeKept(part: Part, turn: Turn, losses: LossList): WireObject[] {
  const kept = keptPart(part);
  if (kept === undefined)
    losses.add(
      part.type,
      `Part of type ${part.type} dropped from a message of role ${turn.role}: the dialect has no equivalent.`,
    );
  return some(kept);
}
