import { stringifyJson } from "./json.ts";
import type { Part, ToolResultPart } from "./parts.ts";

/** What a tool gave, for dialects whose results are text: the text, and the media that must travel apart. */
export interface FlatResult<Media> {
  readonly text: string;
  readonly media: readonly Media[];
}

/**
 * Flattens a result. A failure is marked by `Error: ` in front, media by a reference in their place, since the model
 * meets them elsewhere. `encode` gives undefined for what cannot be said: nothing refers to that.
 */
export function flattenResult<Media>(
  result: ToolResultPart,
  encode: (part: Part) => Media | undefined,
): FlatResult<Media> {
  const media: Media[] = [];
  const texts = result.content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    if (part.type === "document" && part.source.kind === "text") return [part.source.text];
    const encoded = encode(part);
    if (encoded === undefined) return [];
    media.push(encoded);
    return [`[${part.type} ${media.length} of this result follows]`];
  });
  const structured = result.structured === undefined ? [] : [stringifyJson(result.structured)];
  const text = (texts.length > 0 ? texts : structured).join("\n");
  return { text: result.isError === true && !text.startsWith("Error") ? `Error: ${text}` : text, media };
}
