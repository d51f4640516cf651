import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MarkdownDocument, MarkdownNode } from "../../../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import { markdownPayloads } from "../../../fixtures/markdown-payloads.ts";
import { samplePlan } from "../../../support/plans.ts";

const leafTexts = (source: string) => parseMarkdown(source).leaves.map(({ text }) => text);

/** Each rendered range of text with its source range. */
function pairs(source: string): [string, string][] {
  return parseMarkdown(source).leaves.flatMap(({ text, segments }) =>
    segments.map((segment): [string, string] => [
      text.slice(segment.rendered, segment.rendered + segment.renderedLength),
      source.slice(segment.source, segment.source + segment.sourceLength),
    ]),
  );
}

/** The text of the tree's leaves. */
function drawnText(node: MarkdownNode, document: MarkdownDocument): string {
  if (node.kind === "text" || node.kind === "mark") return node.text;
  if (node.kind === "code" || node.kind === "unrendered") return document.leaves[node.leaf]?.text ?? "";
  return "children" in node ? node.children.map((child) => drawnText(child, document)).join("") : "";
}

function leafNodes(nodes: readonly MarkdownNode[]): [number, MarkdownNode][] {
  return nodes.flatMap((node): [number, MarkdownNode][] => {
    if (node.kind === "code" || node.kind === "unrendered") return [[node.leaf, node]];
    if (node.kind === "element" && node.leaf !== undefined) return [[node.leaf, node]];
    return "children" in node ? leafNodes(node.children) : [];
  });
}

describe("source positions of rendered text", () => {
  it.each([
    ["emphasis and code", "A *b* `c d` **e**", ["A ", "b", " ", "c d", " ", "e"]],
    ["a link, whose address repeats its text", "[x](http://x.x/x) x", ["x", " x"]],
    ["a line that continues in a quote", "> one\n> two", ["one", "\n", "two"]],
    ["a lazy line", "> one\ntwo", ["one", "\n", "two"]],
    ["a cell after a cell of the same text", "| a | a |\n|---|---|\n| a | a |", ["a", "a", "a", "a"]],
    ["a code block in a list", "- x\n\n  ```js\n  let a;\n  ```", ["x", "let a;"]],
    ["CRLF line ends", "one\r\ntwo\r\n\r\nthree", ["one", "\n", "two", "three"]],
    ["a task", "- [ ] x task", ["x task"]],
  ])("%s", (_name, source, drawn) => {
    const found = pairs(source);
    expect(found.map(([text]) => text)).toEqual(drawn);
    for (const [text, from] of found) expect(from.replace(/^(\r|\n|\r\n)(> )?$/, "\n")).toBe(text);
  });

  it("cover an escape, an entity and an escaped pipe", () => {
    expect(pairs("a \\* &amp; b")).toEqual([
      ["a ", "a "],
      ["*", "\\*"],
      [" ", " "],
      ["&", "&amp;"],
      [" b", " b"],
    ]);
    expect(pairs("| h |\n|---|\n| b \\| c |").at(-1)).toEqual(["b | c", "b \\| c"]);
  });

  it.each([
    ["a line that a tab indents", "- .\n\t!", [".", "\n", "!"]],
    ["code that a tab indents", "- ```\n\t!", ["\t", "!"]],
    ["a box with nothing behind it", "- [ ] \r\n!", ["[ ]", " ", "!"]],
  ])("%s", (_name, source, written) => {
    expect(pairs(source).map(([, from]) => from)).toEqual(written);
  });

  it("treat an inline footnote as text, as GitHub does", () => {
    expect(leafTexts("a ^[ ] b")).toEqual(["a ^[ ] b"]);
    expect(leafTexts("^[one]")).toEqual(["^[one]"]);
  });

  it("are valid for any text: leaves equal the rendered text, offsets are in range and in order", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "# ",
        "- ",
        "1. ",
        "> ",
        "| a | b |\n|---|---|\n",
        "```\n",
        "*",
        "**",
        "`",
        "[x](y)",
        "\n",
        "\n\n",
        "\t",
        "[^1]",
        "![i](j)",
        "&lt;",
        "\\",
        "<b>",
        "[ ] ",
        "---\n",
        "\u202e",
        "\r\n",
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const source = pieces.join("");
        const document = parseMarkdown(source);
        for (const [leaf, node] of leafNodes(document.nodes)) {
          expect(drawnText(node, document)).toBe(document.leaves[leaf]?.text);
        }
        for (const { text, segments } of document.leaves) {
          expect(segments.reduce((sum, { renderedLength }) => sum + renderedLength, 0)).toBe(text.length);
          for (const { source: start, sourceLength } of segments) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(start + sourceLength).toBeLessThanOrEqual(source.length);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a text above one million characters", () => {
  it("is plain text: every line unchanged, in blocks of 200, with its source", () => {
    const line = "# no [heading](x) here, `code` neither, and \u202e is seen\n";
    const source = line.repeat(Math.ceil(1_000_001 / line.length));
    const document = parseMarkdown(source);
    const count = source.split("\n").length;
    expect(document).toMatchObject({ isPlain: true, headings: [], source });
    expect(document.blocks).toHaveLength(Math.ceil(count / 200));
    expect(document.blocks[1]).toMatchObject({ name: "plain text", startLine: 201, endLine: 400 });
    expect(document.leaves[1]?.start).toBe(200 * line.length);
    expect(document.leaves[0]?.marks).not.toEqual([]);
    expect(parseMarkdown(source.slice(0, 1_000_000)).isPlain).toBeUndefined();
  });
});

describe("a paragraph with more parts than a function accepts arguments", () => {
  const pieces = 70_000;
  it.each<[string, string, number]>([
    ["characters that hide", "a\u200b".repeat(pieces), 2 * pieces],
    ["comments", "a<!-- b -->".repeat(pieces), 2 * pieces],
    ["lines", "a\n".repeat(pieces), 2 * pieces - 1],
  ])("is drawn: %s", (_what, source, segments) => {
    const { leaves } = parseMarkdown(source);
    expect(leaves.reduce((sum, leaf) => sum + leaf.segments.length, 0)).toBe(segments);
  });

  it("has the source of each of thousands of lines, indented or not", () => {
    const source = Array.from({ length: 5_000 }, (_, line) => `${" ".repeat(line % 4)}line ${line}`).join(
      "\n",
    );
    const found = pairs(`> ${source.replaceAll("\n", "\n> ")}`).filter(([text]) => text !== "\n");
    expect(found).toHaveLength(5_000);
    expect(found.filter(([text, from]) => text !== from)).toEqual([]);
  });

  it("has the source of text after URLs and titles with parentheses", () => {
    const source = "[a](<(> 'b)') a [c](d \")(\") c [e](f\\( (g\\))) e [h]('i') h";
    expect(pairs(source)).toEqual(
      ["a", " a ", "c", " c ", "e", " e ", "h", " h"].map((text) => [text, text]),
    );
    const starts = parseMarkdown(source).leaves[0]?.segments.map((segment) => segment.source);
    expect(starts).toEqual([1, 13, 17, 27, 31, 44, 48, 55]);
  });
});

describe("Markdown as GitHub parses it", () => {
  it("supports tables, tasks, alerts, footnotes, strikethrough and ordered lists", () => {
    const json = JSON.stringify(parseMarkdown(samplePlan).nodes);
    for (const part of [
      '"table"',
      '"kind":"task","checked":true',
      "alert alert-important",
      '"footnotes"',
      '"ol"',
    ]) {
      expect(json).toContain(part);
    }
    expect(JSON.stringify(parseMarkdown("~~gone~~").nodes)).toContain('"s"');
    expect(JSON.stringify(parseMarkdown("3. three").nodes)).toContain('"start":"3"');
  });

  it("numbers headings with the same name, skipping ids in use", () => {
    const { headings } = parseMarkdown("# a\n\n# a-1\n\n# a\n\n# a\n\n# a-1\n");
    expect(headings.map(({ id }) => id)).toEqual(["a", "a-1", "a-2", "a-3", "a-1-1"]);
  });

  it("gives headings unique ids", () => {
    const { headings } = parseMarkdown("# A `b`\n\n## A b\n\n### 大");
    expect(headings.map(({ id }) => id)).toEqual(["a-b", "a-b-1", "大"]);
  });

  it("gives blocks their line numbers", () => {
    const { blocks } = parseMarkdown("---\ntitle: x\n---\n# H\n\ntext\nmore\n\n```mermaid\nA\n```\n");
    expect(blocks.map(({ name, startLine, endLine }) => `${name} ${startLine}-${endLine}`)).toEqual([
      "code block 2-2",
      "heading 4-4",
      "paragraph 6-7",
      "diagram 10-10",
    ]);
  });

  it("renders raw HTML and unsafe links as text", () => {
    const tags = new Set<string>();
    const hrefs: string[] = [];
    const walk = (nodes: readonly MarkdownNode[]) => {
      for (const node of nodes) {
        if (node.kind === "element") tags.add(node.tag);
        if (node.kind === "link") hrefs.push(node.href);
        if ("children" in node) walk(node.children);
      }
    };
    for (const payload of markdownPayloads) walk(parseMarkdown(payload).nodes);
    const expected =
      "h1 h2 p div blockquote ul ol li table thead tbody tr th td code em strong s br hr sup section".split(
        " ",
      );
    expect([...tags].filter((tag) => !expected.includes(tag))).toEqual([]);
    const scheme = (href: string) => /^\s*([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
    expect(hrefs.map(scheme).filter((name) => name && !["http", "https", "mailto"].includes(name))).toEqual(
      [],
    );
  });
});

describe("content that Markdown would hide", () => {
  it("shows link definitions and footnotes without a reference", () => {
    expect(leafTexts("text\n\n[//]: # (to the agent)\n[^x]: unseen\n\nmore")).toEqual([
      "text",
      "[//]: # (to the agent)\n[^x]: unseen",
      "more",
    ]);
  });

  it("shows HTML comments, also across lines", () => {
    const { leaves } = parseMarkdown("a <!-- b\nc --> d");
    expect(leaves[0]?.text).toBe("a <!-- b\nc --> d");
    expect(leaves[0]?.marks).toHaveLength(2);
  });

  it.each([
    "client --> server",
    "`<!--` opens\nand `-->` closes",
    "```mermaid\nA --> B\n```",
    "```html\n<!-- b -->\n```",
  ])("no comment where others show it too: %j", (source) => {
    expect(parseMarkdown(source).leaves.flatMap(({ marks }) => marks)).toEqual([]);
  });
});
