import { defined } from "../../exchange/defined.ts";
import { isObject } from "../../exchange/json.ts";
import type { Citation } from "../../exchange/parts.ts";

/** `annotations` of an answer. Indexes count characters of the content as this dialect sees it. */
export function decodeCitations(annotations: readonly unknown[] | null | undefined): Citation[] {
  return (annotations ?? []).flatMap((annotation) => {
    const cited = isObject(annotation) ? annotation["url_citation"] : undefined;
    if (!isObject(cited)) return [];
    return [
      defined({
        url: text(cited["url"]),
        title: text(cited["title"]),
        quote: text(cited["content"]),
        start: index(cited["start_index"]),
        end: index(cited["end_index"]),
      }),
    ];
  });
}

/** A citation of a text that begins at `offset` of the content. One without URL points nowhere a reader could go. */
export function encodeCitation(citation: Citation, offset: number, length: number): unknown {
  if (citation.url === undefined) return undefined;
  return {
    type: "url_citation",
    url_citation: {
      url: citation.url,
      title: citation.title ?? citation.url,
      start_index: offset + (citation.start ?? 0),
      end_index: offset + (citation.end ?? length),
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function index(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
