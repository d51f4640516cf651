import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownHtml } from "../../../../src/render/markdown/markdown-html.ts";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";

const html = (source: string) =>
  markdownHtml(parseMarkdown(source)).replace(/^<div class="markdown">|<\/div>$/g, "");

describe("<br>", () => {
  it.each(["<br>", "<br/>", "<BR />"])("breaks the line, in a paragraph and in a cell: %s", (written) => {
    expect(html(`a${written}b`)).toBe("<p>a<br>\nb</p>");
    expect(html(`| a |\n|---|\n| b${written}c |`)).toContain("<td>b<br>\nc</td>");
  });

  it("keeps the source position", () => {
    const document = parseMarkdown("one<br>two **three**");
    const leaf = document.leaves[0];
    expect(leaf?.text).toBe("one\ntwo three");
    const two = leaf?.segments.find(({ rendered }) => rendered === 4);
    expect(document.source.slice(two?.source, (two?.source ?? 0) + 3)).toBe("two");
  });

  it.each(["<br onload=x>", "<br", "< br>", "`<br>`"])("is text in other forms: %s", (written) => {
    expect(html(`a ${written} b`)).not.toContain("<br");
  });
});

describe("<details>", () => {
  it.each([
    [
      "on lines of their own",
      "<details>\n<summary>More *here*</summary>\n\n**Text**\n\n- item\n\n</details>",
    ],
    ["without blank lines", "<details>\n<summary>More *here*</summary>\n**Text**\n\n- item\n</details>"],
    [
      "on one line with the summary",
      "<details open><summary>More *here*</summary>\n\n**Text**\n\n- item\n\n</details>",
    ],
  ])("folds Markdown under its summary: tags %s", (_how, source) => {
    const drawn = html(source);
    expect(drawn).toMatch(
      /^<details open="open"><summary>More <em>here<\/em><\/summary><p><strong>Text<\/strong><\/p><ul dir="auto"><li>.*item.*<\/li><\/ul><\/details>$/s,
    );
  });

  it("may be on one line, in a list, in a quote and nested", () => {
    expect(html("<details><summary>a</summary>b</details>")).toBe(
      '<details open="open"><summary>a</summary><p>b</p></details>',
    );
    expect(html("- x\n\n  <details>\n  <summary>a</summary>\n\n  b\n\n  </details>\n- y")).toMatch(
      /<li><p>x<\/p><details open="open"><summary>a<\/summary><p>b<\/p><\/details><\/li><li>/,
    );
    expect(html("> <details>\n> b\n> </details>")).toBe(
      '<blockquote><details open="open"><p>b</p></details></blockquote>',
    );
    expect(html("<details>\n\n<details>\nin\n</details>\n\nout\n</details>\n\nafter")).toBe(
      '<details open="open"><details open="open"><p>in</p></details><p>out</p></details><p>after</p>',
    );
  });

  it.each([
    "<details>\nnever closed",
    "<details onclick=x>\na\n</details>",
    '<details class="hidden words">\na\n</details>',
    "</details>",
    "<summary>alone</summary>",
    "```\n<details>\n```\n\ntext\n\n```\n</details>\n```",
    "    <details>\n    a\n    </details>",
  ])("is text in other forms: %s", (source) => {
    expect(html(source)).not.toMatch(/<details|<summary/);
  });

  it.each([
    "<details>[//]: # (secret one)\n\na\n\n</details>",
    "<details>\n<summary>a</summary>[//]: # (secret one)\n\nb\n</details>",
    "<details>\na\n\n[//]: # (secret one)</details>",
    "<details>\n\n[//]: # (secret one)\n\n</details>",
  ])("hides nothing that the agent reads: %s", (source) => {
    expect(html(source)).toContain("secret one");
  });

  it("shows every word of any text and closes its elements", () => {
    const piece = fc.constantFrom(
      "<details>",
      "</details>",
      "<summary>sum</summary>",
      "<summary>",
      "</summary>",
      "<br>",
      "\n",
      "\n\n",
      "> ",
      "- ",
      "  ",
      "word",
      "```\n",
      "[//]: # (def)",
      "| a |\n|---|\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const source = pieces.join("");
        const drawn = html(source);
        for (const tag of ["details", "summary"]) {
          const count = (pattern: string) => drawn.split(pattern).length;
          expect(count(`<${tag}`)).toBe(count(`</${tag}>`));
        }
        const countTerms = (text: string) => text.match(/word|def/g)?.length ?? 0;
        expect(countTerms(drawn)).toBeGreaterThanOrEqual(countTerms(source));
      }),
      { numRuns: 2_000 },
    );
  });
});
