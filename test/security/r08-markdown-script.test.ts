import { describe, expect, it } from "vitest";
import type { MarkdownNode } from "../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../src/render/markdown/parse/parse-markdown.ts";
import { markdownPayloads } from "../fixtures/markdown-payloads.ts";

/**
 * Returns everything active that the tree could render, for any payload. The tests in a real page are in
 * test/e2e/plan-page-safety.test.ts.
 */
function dangers(node: MarkdownNode): string[] {
  const inner = "children" in node ? node.children.flatMap(dangers) : [];
  if (node.kind === "link") return isHarmless(node.href) ? inner : [...inner, `link ${node.href}`];
  if (node.kind !== "element") return inner;
  const tags =
    /^(?:h[1-6]|p|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|em|strong|s|del|code|pre|hr|br|section|sup|div|span|a|dl|dt|dd)$/;
  const wrong = tags.test(node.tag) ? [] : [`element ${node.tag}`];
  for (const [name, value] of Object.entries(node.attributes ?? {}))
    if (
      /^on|^style$|^src|^srcdoc$|^formaction$/i.test(name) &&
      !/^text-align:(?:left|right|center)$/.test(value)
    )
      wrong.push(`${name}=${value}`);
  return [...inner, ...wrong];
}

/** Parses a link as the browser does. A link that is not a web page is rendered as a path without a target. */
function isHarmless(href: string): boolean {
  return ["http:", "https:", "mailto:"].includes(new URL(href, "http://localhost").protocol);
}

describe(`R8 Markdown that would run a script (${markdownPayloads.length} payloads)`, () => {
  it("is rendered as known elements, web links and text", () => {
    expect(markdownPayloads.length).toBeGreaterThanOrEqual(300);
    const wrong = markdownPayloads.flatMap((payload) =>
      parseMarkdown(payload)
        .nodes.flatMap(dangers)
        .map((danger) => `${payload} → ${danger}`),
    );
    expect(wrong).toEqual([]);
  });

  it("is rendered so in one document", () => {
    expect(parseMarkdown(markdownPayloads.join("\n\n")).nodes.flatMap(dangers)).toEqual([]);
  });
});
