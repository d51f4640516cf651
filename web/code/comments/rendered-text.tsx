import { useMemo } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { imageUrl } from "../../shared/images/upload.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";

/**
 * Renders a comment's text as Markdown. This module is separate, so that the renderer is loaded on first use.
 */
export function RenderedText({ text }: { readonly text: string }) {
  const document = useMemo(() => parseMarkdown(text), [text]);
  return <MarkdownView document={document} imageUrl={localImage} small />;
}

/** Returns the URL of a local image; undefined for a source with a scheme, so that no remote image is loaded. */
function localImage(source: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:/i.test(source) ? undefined : imageUrl(source);
}
