import { stringifyJson } from "./json.ts";
import type { Part, ToolResultPart } from "./parts.ts";
import { withTitle } from "./with-title.ts";

/** A tool result for dialects whose results are text: the text, and the media to send separately. */
export interface FlatResult<Media> {
  readonly text: string;
  readonly media: readonly Media[];
}

/**
 * Converts a tool result to text. Prefixes an error with `Error: ` and puts a reference in place of media, which the
 * model receives separately. `encode` returns undefined for a part that the dialect cannot express; such a part gets
 * no reference.
 */
export function flattenResult<Media>(
  result: ToolResultPart,
  encode: (part: Part) => Media | undefined,
): FlatResult<Media> {
  const media: Media[] = [];
  const texts: string[] = [];
  for (const part of result.content) {
    const own = ownText(part);
    const encoded = own === undefined ? encode(part) : undefined;
    if (own !== undefined) texts.push(own);
    else if (encoded !== undefined)
      texts.push(`[${part.type} ${media.push(encoded)} of this result follows]`);
  }
  if (texts.length === 0 && result.structured !== undefined) texts.push(stringifyJson(result.structured));
  const text = texts.join("\n");
  return { text: result.isError === true && !text.startsWith("Error") ? `Error: ${text}` : text, media };
}

function ownText(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "document" && part.source.kind === "text"
    ? withTitle(part, part.source.text)
    : undefined;
}
