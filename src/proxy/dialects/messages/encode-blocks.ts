import type { Capabilities } from "../../exchange/capabilities.ts";
import { defined } from "../../exchange/defined.ts";
import { argumentsObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { LossCode } from "../../exchange/loss-codes.ts";
import { isForeignFile } from "../../exchange/media.ts";
import type {
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from "../../exchange/parts.ts";
import { mapInSteps, type Steps } from "../../exchange/steps.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { loseForeignFile } from "../shared/losses.ts";
import { profile } from "./profile.ts";

export type OutBlock = Readonly<Record<string, unknown>>;

/** The upstream's capabilities and the list that receives losses while a request is encoded. */
export interface BlockContext {
  readonly capabilities: Capabilities;
  readonly list: LossList;
}

/**
 * Encodes a part as a block with the part's cache breakpoint, which reasoning cannot have. Returns undefined for blank
 * text, and for a part that the dialect cannot express, which is a loss.
 */
function encodePart(part: Part, context: BlockContext): OutBlock | undefined {
  const block = encodeBare(part, context);
  if (block === undefined || part.cache === undefined || part.type === "reasoning") return block;
  return { ...block, cache_control: { type: "ephemeral", ...part.cache } };
}

/** Encodes parts as blocks. A part that the dialect cannot express is a loss. */
export function encodeParts(parts: readonly Part[], context: BlockContext): OutBlock[] {
  const blocks: OutBlock[] = [];
  for (const part of parts) {
    const block = encodePart(part, context);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** Encodes like `encodeParts`, with pauses. */
export function* encodePartsInSteps(parts: readonly Part[], context: BlockContext): Steps<OutBlock[]> {
  const blocks = yield* mapInSteps(parts, (part) => encodePart(part, context));
  return blocks.filter((block) => block !== undefined);
}

function encodeBare(part: Part, context: BlockContext): OutBlock | undefined {
  const lost = (code: LossCode, detail: string) => void context.list.add(code, detail);
  switch (part.type) {
    case "text":
    case "refusal":
      if (part.type === "text" && part.signature !== undefined)
        lost("part-signature", "Signature of a text dropped: another vendor created it.");
      if (part.origin?.dialect === "messages") return part.origin.raw as OutBlock;
      // The vendor rejects text that consists of whitespace.
      return part.text.trim() === "" ? undefined : { type: "text", text: part.text };
    case "image":
      if (isForeignFile(part, "messages")) return loseForeignFile(context.list);
      return encodeImage(part, context) ?? lost("image", "Image dropped: the upstream does not support it.");
    case "document":
      if (isForeignFile(part, "messages")) return loseForeignFile(context.list);
      return (
        encodeDocument(part, context) ??
        lost("document", "Document dropped: the upstream does not support it.")
      );
    case "reasoning":
      return encodeThinking(part, context);
    case "tool-call":
      return encodeCall(part, context);
    case "tool-result":
      return encodeResult(part, context);
    case "server-tool":
    case "unknown":
      if (part.origin?.dialect === "messages") return part.origin.raw as OutBlock;
      return lost(part.type, `Part of type ${part.type} dropped: another vendor created it.`);
    default:
      return lost(part.type, `Part of type ${part.type} dropped: the dialect has no equivalent.`);
  }
}

function encodeSource(source: ImagePart["source"]): OutBlock {
  if (source.kind === "base64") return { type: "base64", media_type: source.mediaType, data: source.data };
  return source.kind === "url" ? { type: "url", url: source.url } : { type: "file", file_id: source.id };
}

function encodeImage(part: ImagePart, { capabilities, list }: BlockContext): OutBlock | undefined {
  const { source, detail = "auto" } = part;
  if (detail !== "auto") list.add("image-detail", "`detail` dropped: the upstream has no equivalent.");
  if (capabilities.images === "none" || (capabilities.images === "base64" && source.kind !== "base64"))
    return undefined;
  return { type: "image", source: encodeSource(source) };
}

function encodeDocument(part: DocumentPart, { capabilities }: BlockContext): OutBlock | undefined {
  const { source } = part;
  const about = defined({
    title: part.name,
    context: part.context,
    citations: part.citations === undefined ? undefined : { enabled: part.citations },
  });
  const plain = (text: string) => ({
    type: "document",
    source: { type: "text", media_type: "text/plain", data: text },
    ...about,
  });
  if (source.kind === "text") return plain(source.text);
  if (capabilities.documents === "none" || (capabilities.documents === "base64" && source.kind === "url"))
    return undefined;
  if (source.kind !== "base64" || source.mediaType === "application/pdf") {
    return { type: "document", source: encodeSource(source), ...about };
  }
  return source.mediaType.startsWith("text/")
    ? plain(Buffer.from(source.data, "base64").toString())
    : undefined;
}

/**
 * Encodes reasoning that this vendor signed and drops all other reasoning, because the vendor verifies the signature.
 */
function encodeThinking(part: ReasoningPart, { list }: BlockContext): OutBlock | undefined {
  if (part.vendor === "messages" && part.signature !== undefined) {
    return part.redacted === true
      ? { type: "redacted_thinking", data: part.signature }
      : { type: "thinking", thinking: part.text, signature: part.signature };
  }
  const code = part.signature === undefined ? "reasoning" : "reasoning-signature";
  list.add(code, "Earlier reasoning dropped: this vendor did not sign it.");
  return undefined;
}

function encodeCall(part: ToolCallPart, { list }: BlockContext): OutBlock {
  if (part.signature !== undefined)
    list.add("call-signature", "Signature of a tool call dropped: another vendor created it.");
  const input = argumentsObject(part.arguments);
  if (input === undefined)
    list.add("tool-arguments", "Tool arguments sent as text: they are not a JSON object.");
  return {
    type: "tool_use",
    id: toCallId(profile.callIds, part.id),
    name: part.name,
    input: input ?? { input: part.arguments },
  };
}

function encodeResult(part: ToolResultPart, context: BlockContext): OutBlock {
  const structured =
    part.structured === undefined ? [] : [{ type: "text", text: JSON.stringify(part.structured) }];
  const content = encodeParts(part.content, context);
  const blocks = content.length > 0 ? content : structured;
  const [only] = blocks;
  const isText = blocks.length === 1 && only?.["type"] === "text" && !("cache_control" in only);
  return defined({
    type: "tool_result",
    tool_use_id: toCallId(profile.callIds, part.callId),
    content: blocks.length === 0 ? undefined : isText ? only["text"] : blocks,
    is_error: part.isError,
  });
}
