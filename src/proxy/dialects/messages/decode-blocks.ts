import type { z } from "zod";
import { defined } from "../../exchange/defined.ts";
import { stringifyJson } from "../../exchange/json.ts";
import { getFileOrigin, withSniffedType } from "../../exchange/media.ts";
import type { DocumentPart, MediaSource, Part, ReasoningPart } from "../../exchange/parts.ts";
import { unwrapSignature } from "../../exchange/signature.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { decodeCacheControl } from "../shared/cache-control.ts";
import { parseRequestInSteps, parseRequestPiece } from "../shared/parse.ts";
import { decodeCitation } from "./citations.ts";
import {
  documentBlock,
  imageBlock,
  redactedBlock,
  searchResultBlock,
  type sourceSchema,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
  type WireBlock,
} from "./schema.ts";
import { decodeServerBlock } from "./server-tools.ts";
import { isToolChange } from "./tool-changes.ts";

/**
 * Converts content to parts and skips empty text. Throws `DialectError` (400) for an invalid block; the error's path
 * starts with `where`.
 */
export function* decodeContent(
  content: string | readonly WireBlock[] | null | undefined,
  where: string,
): Steps<Part[]> {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts: Part[] = [];
  for (const [index, block] of (content ?? []).entries()) {
    if (isPauseDue()) yield;
    const at = `${where}[${index}]`;
    const decoded = isContainer(block) ? yield* decodeContainer(block, at) : decodeBare(block, at);
    for (const part of cached(decoded, block)) parts.push(part);
  }
  return parts;
}

/** Converts a block to its parts, usually one. Throws `DialectError` (400) for an invalid block. */
export function* decodeBlock(block: WireBlock, where: string): Steps<Part[]> {
  const parts = isContainer(block) ? yield* decodeContainer(block, where) : decodeBare(block, where);
  return cached(parts, block);
}

function cached(parts: Part[], block: WireBlock): Part[] {
  const cache = decodeCacheControl(block["cache_control"]);
  return cache === undefined ? parts : parts.map((part) => ({ cache, ...part }));
}

/** Returns whether blocks of this type can contain a list of blocks. */
function isContainer({ type }: WireBlock): boolean {
  return type === "tool_result" || type === "document" || type === "search_result";
}

function* decodeContainer(block: WireBlock, where: string): Steps<Part[]> {
  if (block.type === "tool_result") return [yield* decodeToolResult(block, where)];
  return block.type === "document"
    ? yield* decodeDocument(block, where)
    : yield* decodeSearchResult(block, where);
}

function decodeBare(block: WireBlock, where: string): Part[] {
  switch (block.type) {
    case "text": {
      const { text, citations } = parseRequestPiece(textBlock, block, where);
      if (text === "") return [];
      const cited = (citations ?? []).flatMap((citation) => decodeCitation(citation) ?? []);
      return [cited.length > 0 ? { type: "text", text, citations: cited } : { type: "text", text }];
    }
    case "image": {
      const source = decodeSource(parseRequestPiece(imageBlock, block, where).source);
      if (source.kind === "text" || source.kind === "content") return [unknownPart(block)];
      return [
        { type: "image", source: withSniffedType(source), ...getFileOrigin(source, "messages", block) },
      ];
    }
    case "thinking": {
      const { thinking, signature } = parseRequestPiece(thinkingBlock, block, where);
      return [decodeThinking(thinking, signature ?? "")];
    }
    case "redacted_thinking": {
      const opened = unwrapSignature("messages", parseRequestPiece(redactedBlock, block, where).data);
      return [{ type: "reasoning", text: "", redacted: true, ...opened }];
    }
    case "tool_use": {
      const { id, name, input } = parseRequestPiece(toolUseBlock, block, where);
      const text = input === undefined ? "" : stringifyJson(input);
      return [{ type: "tool-call", id, name, arguments: text }];
    }
    default:
      // `decodeTools` applies changes of the tools.
      return isToolChange(block) ? [] : [decodeServerBlock(block) ?? unknownPart(block)];
  }
}

/** Converts a thinking block. An empty signature in an envelope marks unsigned reasoning of another vendor. */
function decodeThinking(text: string, wrapped: string): ReasoningPart {
  const { vendor, signature } = unwrapSignature("messages", wrapped);
  return signature === ""
    ? { type: "reasoning", text, vendor }
    : { type: "reasoning", text, vendor, signature };
}

function* decodeDocument(block: WireBlock, where: string): Steps<Part[]> {
  const { source, title, context, citations } = yield* parseRequestInSteps(documentBlock, block, where);
  const decoded: DecodedSource = decodeSource(source);
  const about = {
    name: title ?? undefined,
    context: context ?? undefined,
    citations: citations?.enabled ?? undefined,
  };
  if (decoded.kind === "content") return textDocument(yield* decodeContent(decoded.content, where), about);
  const part: DocumentPart = defined({
    type: "document" as const,
    source: decoded,
    ...about,
    ...getFileOrigin(decoded, "messages", block),
  });
  return [part];
}

/** Converts a search result of the client to a document named after its title and source. */
function* decodeSearchResult(block: WireBlock, where: string): Steps<Part[]> {
  const { source, title, content, citations } = yield* parseRequestInSteps(searchResultBlock, block, where);
  const name = title === source ? title : `${title} (${source})`;
  const parts = yield* decodeContent(content, where);
  return textDocument(parts, { name, citations: citations?.enabled ?? undefined });
}

/**
 * Converts a document made of blocks to one text document, followed by the images and other media that it contained.
 */
function textDocument(
  parts: readonly Part[],
  about: { readonly [Name in "name" | "context" | "citations"]?: DocumentPart[Name] | undefined },
): Part[] {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const document = defined({ type: "document" as const, source: { kind: "text" as const, text }, ...about });
  return [document, ...parts.filter((part) => part.type !== "text")];
}

function* decodeToolResult(block: WireBlock, where: string): Steps<Part> {
  const { tool_use_id, content, is_error } = yield* parseRequestInSteps(toolResultBlock, block, where);
  const part = {
    type: "tool-result",
    callId: tool_use_id,
    content: yield* decodeContent(content, `${where}.content`),
  } as const;
  return is_error === true ? { isError: true, ...part } : part;
}

function unknownPart(block: WireBlock): Part {
  return { type: "unknown", origin: { dialect: "messages", raw: block } };
}

type DecodedSource =
  | MediaSource
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "content"; readonly content: readonly WireBlock[] };

/** Converts the `source` of a block. A source of the type `content` is a text, or a document made of blocks. */
function decodeSource(source: z.infer<typeof sourceSchema>): DecodedSource {
  switch (source.type) {
    case "base64":
      return { kind: "base64", mediaType: source.media_type, data: source.data };
    case "url":
      return { kind: "url", url: source.url };
    case "file":
      return { kind: "file", id: source.file_id };
    case "text":
      return { kind: "text", text: source.data };
    case "content":
      return typeof source.content === "string"
        ? { kind: "text", text: source.content }
        : { kind: "content", content: source.content };
  }
}
