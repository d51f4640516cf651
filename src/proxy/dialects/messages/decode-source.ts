import type { z } from "zod";
import type { MediaSource } from "../../exchange/parts.ts";
import type { sourceSchema, WireBlock } from "./schema.ts";

export type DecodedSource =
  | MediaSource
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "content"; readonly content: readonly WireBlock[] };

/** A block's `source`. `content` is a document made of blocks. */
export function decodeSource(source: z.infer<typeof sourceSchema>): DecodedSource {
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
