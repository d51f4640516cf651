import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MarkdownDocument, MarkdownNode } from "../../../../src/render/markdown/model.ts";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import { align } from "../../../../web/plan/rounds/align.ts";
import { compareByWord } from "../../../../web/plan/rounds/compare-by-word.ts";
import { comparePlans } from "../../../../web/plan/rounds/compare-plans.ts";
import { samplePlan } from "../../../support/plans.ts";

const compare = (before: string, after: string) => comparePlans(parseMarkdown(before), parseMarkdown(after));

/** The result of a comparison, by outermost block: `{+new+}`, `[-gone-]`, and the marks of blocks. */
function shown(before: string, after: string): string[] {
  const now = parseMarkdown(after);
  return comparePlans(parseMarkdown(before), now)
    .blocks.filter(({ isChanged }) => isChanged)
    .map(({ node }) => written(node, now));
}

function written(node: MarkdownNode, document: MarkdownDocument): string {
  const all = (nodes: readonly MarkdownNode[], of = document) =>
    nodes.map((child) => written(child, of)).join("");
  switch (node.kind) {
    case "text":
    case "mark":
      return node.text;
    case "task":
      return node.checked ? "☑ " : "☐ ";
    case "image":
      return `<${node.source}>`;
    case "link":
      return `<${node.href}>${all(node.children)}`;
    case "removed":
      return node.tag === "del"
        ? `[-${all(node.children)}-]`
        : `removed(${all(node.children, node.document)})`;
    case "code":
    case "unrendered": {
      const { added = [], removed = [] } = node.edits ?? {};
      const text = document.leaves[node.leaf]?.text ?? "";
      const edits = [
        ...removed.map((one) => `[-${one.text}-]`),
        ...added.map(({ start, end }) => `{+${text.slice(start, end)}+}`),
      ].join("");
      return `${node.change ?? ""}(${edits || text})`;
    }
    case "element": {
      const text = node.tag === "ins" ? `{+${all(node.children)}+}` : all(node.children);
      return node.change ? `${node.change}(${text})` : text;
    }
  }
}

describe("two rounds of a plan", () => {
  it("are equal if only blank lines differ", () => {
    expect(compare(samplePlan, samplePlan).count).toBe(0);
    expect(compare("a\n\nb\n", "a\n\n\nb").count).toBe(0);
    expect(compare("- a\n- b\n", "- a\n\n- b\n").count).toBe(0);
  });

  it.each([
    ["a paragraph's word", "one two three", "one two four", ["changed(one two [-three-]{+four+})"]],
    ["a new block", "a", "a\n\nnew", ["added(new)"]],
    ["a block that is gone", "a b\n\nc d", "a b", ["removed(c d)"]],
    [
      "blocks without a common word",
      "alpha beta",
      "delta epsilon\n\nx",
      ["removed(alpha beta)", "added(delta epsilon)", "added(x)"],
    ],
    [
      "a list item that is gone",
      "- a first\n- b second\n- c third",
      "- a first\n- c third",
      ["a firstremoved(b second)c third"],
    ],
    [
      "one word of a nested list",
      "- outer\n  - inner one\n  - inner two\n- last",
      "- outer\n  - inner one\n  - inner 2\n- last",
      ["outerinner onechanged(inner [-two-]{+2+})last"],
    ],
    [
      "one cell of a table",
      "| a | b |\n|---|---|\n| 1 x | 2 |\n| 3 | 4 |",
      "| a | b |\n|---|---|\n| 1 y | 2 |\n| 3 | 4 |",
      ["abchanged(1 [-x-]{+y+}2)34"],
    ],
    [
      "a column of a table",
      "| a |\n|---|\n| 1 |",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      ["removed(a1)", "added(ab12)"],
    ],
    ["a ticked box", "- [ ] dig", "- [x] dig", ["[-[ ]-]☑ dig"]],
    [
      "a link's address alone",
      "see [x](a.md)",
      "see [x](b.md)",
      ["removed(see <a.md>x)", "added(see <b.md>x)"],
    ],
    ["emphasis alone", "so *be* it", "so be it", ["removed(so be it)", "added(so be it)"]],
    ["the number a list starts with", "1. a", "2. a", ["removed(a)", "added(a)"]],
    ["code", "```ts\nlet a = 1;\n```", "```ts\nlet b = 1;\n```", ["changed([-a-]{+b+})"]],
    ["a code block's language", "```ts\na\n```", "```js\na\n```", ["removed((a))", "added(a)"]],
    ["front matter", "---\nowner: a\n---\n\nText.", "---\nowner: b\n---\n\nText.", ["changed([-a-]{+b+})"]],
    [
      "a footnote",
      "Text.[^n]\n\n[^n]: Old note here.",
      "Text.[^n]\n\n[^n]: New note here.",
      ["changed([-Old-]{+New+} note here.)"],
    ],
    ["text that Markdown hides", "a\n\n[//]: # (one two)", "a\n\n[//]: # (one 2)", ["changed([-two-]{+2+})"]],
    [
      "words next to each other",
      "go one two now",
      "go three four now",
      ["changed(go [-one two-]{+three four+} now)"],
    ],
    ["a text without spaces", "今日は晴れです", "今日は雨です", ["changed(今日は[-晴れ-]{+雨+}です)"]],
    ["a heading and its level", "## A b", "### A b", ["removed(A b)", "added(A b)"]],
  ])("differ by %s", (_what, before, after, expected) => {
    expect(shown(before, after)).toEqual(expected);
    expect(compare(before, after).count).toBeGreaterThan(0);
  });

  it("state where removed text was", () => {
    const after = "# Title\n\nKept here.\n\nEnd.\n";
    const { blocks } = compare("# Title\n\nKept text here.\n\nGone wholly now.\n\nEnd.\n", after);
    const positions: number[] = [];
    const collect = (node: MarkdownNode) => {
      if (node.kind === "removed") positions.push(node.at);
      else if ("children" in node) node.children.forEach(collect);
    };
    for (const { node } of blocks) collect(node);
    expect(positions).toEqual([after.indexOf("here"), after.indexOf("\n\nEnd")]);
  });

  it("lose no text: all parts not marked as removed make up the later round", () => {
    const block = fc.constantFrom(
      "# Title",
      "- item one\n- item two\n  - deep one",
      "- item 1\n- item two\n  - deep two\n- three",
      "Some words here.",
      "Some other words here, [link](a.md).",
      "```\ncode\n```",
      "```\ncode two\n```",
      "| a | c |\n|---|---|\n| b | d |",
      "| a | c |\n|---|---|\n| x | d |\n| e | f |",
      "> quote *one*",
      "Note[^1]\n\n[^1]: text",
    );
    fc.assert(
      fc.property(fc.array(block), fc.array(block), (old, now) => {
        const after = parseMarkdown(now.join("\n\n"));
        const before = parseMarkdown(old.join("\n\n"));
        const { blocks, count } = comparePlans(before, after);
        const kept = (node: MarkdownNode): string => {
          if (node.kind === "removed") return "";
          if (node.kind === "code" || node.kind === "unrendered") return after.leaves[node.leaf]?.text ?? "";
          if (node.kind === "text" || node.kind === "mark") return node.text;
          return "children" in node ? node.children.map(kept).join("") : "";
        };
        const drawn = after.nodes.map(kept).join("");
        expect(blocks.map(({ node }) => kept(node)).join("")).toBe(drawn);
        expect(count === 0).toBe(blocks.every(({ isChanged }) => !isChanged));
      }),
    );
  });

  it("are aligned with more new blocks than a function accepts arguments", () => {
    const after = Array.from({ length: 200_000 }, (_, index) => ({ key: String(index) }));
    const aligned = align([{ key: "first" }], after, () => false);
    expect(aligned).toHaveLength(200_001);
    expect(aligned[0]?.kind).toBe("removed");
  });
});

describe("words", () => {
  it("are found by position if they are new or removed", () => {
    const edits = compareByWord("one two three", "one 2 three four");
    expect(edits?.removed).toEqual([{ offset: 4, text: "two" }]);
    expect(edits?.added.map(({ start, end }) => "one 2 three four".slice(start, end).trim())).toEqual([
      "2",
      "four",
    ]);
  });

  it("are not compared one by one where nearly all differ", () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join(" ");
    expect(compareByWord(text("a"), text("b"))).toBeUndefined();
  });
});
