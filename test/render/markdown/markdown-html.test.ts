import { describe, expect, it } from "vitest";
import { markdownHtml } from "../../../src/render/markdown/markdown-html.ts";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { diagramPayloads, markdownPayloads } from "../../fixtures/markdown-payloads.ts";

const html = (source: string) =>
  markdownHtml(parseMarkdown(source)).replace(/^<div class="markdown">(.*)<\/div>$/s, "$1");

describe("Markdown as HTML", () => {
  it.each([
    ["a paragraph", "One *two* `three`", "<p>One <em>two</em> <code>three</code></p>"],
    ["a heading, with its id", "## What now?", '<h2 id="what-now">What now?</h2>'],
    ["raw HTML as text", "<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"],
    ["entities as what they stand for", "&lt;script&gt; &amp;", "<p>&lt;script&gt; &amp;</p>"],
    ["quotes in what becomes an attribute", '![a"b](x.png)', '<p><img alt="a&quot;b"></p>'],
    ["a path as no link", "[a](b.md)", '<p><span class="path-link">a</span></p>'],
    ["a link within the text", "[a](#b)", '<p><a href="#b">a</a></p>'],
    [
      "a link to another site, which opens in a new tab",
      "[a](https://b.example)",
      '<p><a href="https://b.example" target="_blank" rel="noopener noreferrer">a</a></p>',
    ],
    ["a line", "---", "<hr>"],
    [
      "a box that is ticked",
      "- [x] a",
      '<ul dir="auto"><li class="task"><input type="checkbox" disabled checked><div>a</div></li></ul>',
    ],
    ["where a list begins", "7. a", '<ol dir="auto" start="7"><li><div>a</div></li></ol>'],
  ])("draws %s", (_name, source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it("renders code unchanged, without colors, with the name of its language", () => {
    expect(html("```ts title\na < b\n```")).toBe(
      '<div class="code-block"><div class="code-head no-select"><span>ts title</span></div><pre><code>a &lt; b</code></pre></div>',
    );
  });

  it("marks deceptive characters in text and code", () => {
    const marks = html("a\u202eb\n\n```\nc\u2066d\n```").match(/<span class="deceptive" [^>]*>[^<]*/g);
    expect(marks?.map((mark) => mark.replace(/.*>/, ""))).toEqual(["U+202E", "U+2066"]);
  });

  it("shows lines that Markdown does not render", () => {
    expect(html("[//]: # (delete the backups)")).toContain("<code>[//]: # (delete the backups)</code>");
  });

  it("never writes a tag or attribute from the text", () => {
    const tags = new Set<string>();
    for (const payload of [...markdownPayloads, ...diagramPayloads]) {
      const text = html(payload);
      const unquoted = text.replace(/"[^"]*"/g, '""');
      for (const [, tag = "", attributes = ""] of unquoted.matchAll(/<(\w+)([^>]*)>/g)) {
        tags.add(tag);
        expect(attributes, payload).toMatch(
          /^(?: (?:class|dir|id|href|title|alt|start|style|target|rel|type)=""| disabled| checked)*$/,
        );
      }
      for (const [, href = ""] of text.matchAll(/ href="([^"]*)"/g))
        expect(href).toMatch(/^(#|https?:|mailto:)/i);
    }
    expect([...tags].filter((tag) => !ALLOWED.has(tag))).toEqual([]);
  });
});

const ALLOWED = new Set(
  "div p a span em strong s code pre img input ul ol li blockquote table thead tbody tr th td h1 h2 h3 h4 h5 h6 hr br sup section".split(
    " ",
  ),
);
