import { stringifyJson } from "./json.ts";
import type { Part, ToolResultPart } from "./parts.ts";

/** What a tool gave, for dialects whose results are text: the text, and the media that must travel apart. */
export interface FlatResult {
  readonly text: string;
  readonly media: readonly Part[];
}

/**
 * Flattens a result. A failure is marked by `Error: ` in front, media by a reference in their place, since the model
 * meets them elsewhere.
 */
export function flattenResult(result: ToolResultPart): FlatResult {
  const media: Part[] = [];
  const texts = result.content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    if (part.type === "document" && part.source.kind === "text") return [part.source.text];
    media.push(part);
    return [`[${part.type} ${media.length} of this result follows]`];
  });
  const structured = result.structured === undefined ? [] : [stringifyJson(result.structured)];
  const text = (texts.length > 0 ? texts : structured).join("\n");
  return { text: result.isError === true && !text.startsWith("Error") ? `Error: ${text}` : text, media };
}
