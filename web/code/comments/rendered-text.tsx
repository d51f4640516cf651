import { useMemo } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { imageUrl } from "../../shared/images/upload.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";

/** A comment's text as Markdown. A module of its own, so that the renderer is loaded when there is something to draw. */
export function RenderedText({ text }: { readonly text: string }) {
  const document = useMemo(() => parseMarkdown(text), [text]);
  return <MarkdownView document={document} imageUrl={localImage} small />;
}

/** Only images of this machine are shown. */
function localImage(source: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:/i.test(source) ? undefined : imageUrl(source);
}
