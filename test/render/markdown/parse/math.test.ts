import { describe, expect, it } from "vitest";
import { markdownHtml } from "../../../../src/render/markdown/markdown-html.ts";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";

const html = (source: string) => markdownHtml(parseMarkdown(source)).replace(/ data-[\w-]+="[^"]*"/g, "");
const drawn = (source: string) =>
  parseMarkdown(source)
    .leaves.map(({ text }) => text)
    .join("\n");

describe("a formula", () => {
  it.each([
    "The cost is $O(n_1 * n_2 * \\{k\\})$ here.",
    "Display $$a_1 * b_1 * \\\\frac{a}{b}$$ in a line.",
  ])("is drawn as it is written in %j", (source) => {
    expect(drawn(source)).toBe(source);
  });

  it("keeps its lines, whatever their first characters", () => {
    const source = "$$\na_1 = \\sum_{i} x_i * y_i\n+ b * c\n# d\n$$";
    expect(drawn(`Text.\n\n${source}\n\nMore.`)).toBe(`Text.\n${source}\nMore.`);
    expect(html(source)).toContain("<p>$$<br>");
    expect(html(`- item\n\n  ${source.replaceAll("\n", "\n  ")}\n`)).not.toContain("<h1");
  });

  it("has its source position", () => {
    const source = "Before $x_1 * \\alpha$ after *it*.";
    const [leaf] = parseMarkdown(source).leaves;
    expect(leaf?.text).toBe("Before $x_1 * \\alpha$ after it.");
  });

  it.each([
    ["Costs $5 and **$6** a month", "Costs $5 and $6 a month"],
    ["**$A** and **$B**", "$A and $B"],
    ["From $HOME to *$USER*", "From $HOME to $USER"],
    ["An open $$ and *more*", "An open $$ and more"],
    ["`$a` and *b* `$c`", "$a and b $c"],
  ])("is not seen in %j", (source, text) => {
    expect(drawn(source)).toBe(text);
  });

  it("is found among 50,000 dollar signs", () => {
    const source = "$a ".repeat(50_000);
    expect(drawn(source).length).toBe(source.length - 1);
  });
});
