import { useMemo } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { MarkdownView } from "../markdown/markdown-view.tsx";

/**
 * Renders the Markdown of a message. Does not load images, because an agent or tool may have written the
 * message.
 */
export function MessageText({ text }: { readonly text: string }) {
  const document = useMemo(() => parseMarkdown(text), [text]);
  return <MarkdownView document={document} imageUrl={() => undefined} small />;
}
