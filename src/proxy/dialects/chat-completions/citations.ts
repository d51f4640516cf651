import { defined } from "../../exchange/defined.ts";
import { asString, isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation } from "../../exchange/parts.ts";

/** `annotations` of an answer; those of no page have no twin elsewhere. Indexes count characters of the content as this dialect sees it. */
export function decodeCitations(annotations: readonly unknown[] | null | undefined): Citation[] {
  return (annotations ?? []).map((annotation): Citation => {
    const cited = isObject(annotation) ? annotation["url_citation"] : undefined;
    if (!isObject(cited)) return { origin: { dialect: "chat-completions", raw: annotation } };
    return defined({
      url: asString(cited["url"]),
      title: asString(cited["title"]),
      quote: asString(cited["content"]),
      start: index(cited["start_index"]),
      end: index(cited["end_index"]),
    });
  });
}

/**
 * The pages an answer as a whole is taken from: Perplexity's `search_results`, and `citations`, which xAI gives as well;
 * nothing where the text's own annotations say more.
 */
export function decodePages(response: {
  readonly citations?: unknown;
  readonly search_results?: unknown;
}): Citation[] {
  const results = toList(response.search_results).filter(isObject);
  if (results.length > 0)
    return results.map(({ url, title }) => defined({ url: asString(url), title: asString(title) }));
  return toList(response.citations).flatMap((url) => (typeof url === "string" ? { url } : []));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The citations of a text of `length` characters that begins at `offset` of the content. One without URL, of a document's
 * page or a file, has no form here, and is a loss.
 */
export function encodeCitations(
  citations: readonly Citation[] | undefined,
  { offset, length }: { readonly offset: number; readonly length: number },
  list: LossList,
): object[] {
  return (citations ?? []).flatMap((citation) => {
    if (citation.url !== undefined) return [encodeCitation(citation, citation.url, offset, length)];
    list.add("answer-citation", "Citations dropped: the dialect supports citations of web pages only.");
    return [];
  });
}

function encodeCitation(citation: Citation, url: string, offset: number, length: number): object {
  return {
    type: "url_citation",
    url_citation: {
      url,
      title: citation.title ?? url,
      start_index: offset + (citation.start ?? 0),
      end_index: offset + (citation.end ?? length),
    },
  };
}

function index(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
