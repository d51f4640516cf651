import "../styles/preview.css";
import { useMemo } from "react";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";

interface MarkdownPageProps {
  readonly side: "old" | "new";
  readonly text: string;
}

/** Renders one version of a Markdown text. Does not load images. */
export function MarkdownPage({ side, text }: MarkdownPageProps) {
  const document = useMemo(() => parseMarkdown(text), [text]);
  return (
    <section className="preview-page" aria-label={side === "old" ? "Before the change" : "After the change"}>
      {text.trim() === "" ? (
        <p className="hint">This version is empty.</p>
      ) : (
        <MarkdownView document={document} imageUrl={() => undefined} />
      )}
    </section>
  );
}
