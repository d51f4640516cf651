import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, expect, it, vi } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";

// Diagrams use the system's colors, which are read as soon as the diagrams are loaded.
vi.stubGlobal("matchMedia", () => new EventTarget());
afterAll(() => void vi.unstubAllGlobals());
const { MarkdownView } = await import("../../../../web/shared/markdown/markdown-view.tsx");

const drawn = (source: string) =>
  renderToStaticMarkup(
    createElement(MarkdownView, { document: parseMarkdown(source), imageUrl: () => undefined }),
  );

it("renders a paragraph with more parts than a function accepts arguments", () => {
  expect(drawn("a\u200b".repeat(65_000)).match(/<span/g)).toHaveLength(65_000);
});

it("renders empty elements", () => {
  expect(drawn("a  \nb\n\n---\n")).toMatch(/a<br\/>\nb<\/p><hr\/>/);
});
