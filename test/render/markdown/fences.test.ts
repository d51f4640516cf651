import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";
import { codeSpan, fenced } from "../../../src/render/markdown/fences.ts";

const markdown = new MarkdownIt();
const text = fc.string({ unit: fc.constantFrom("`", "a", "\n", "~", " ", ">"), maxLength: 60 });

describe("a fence", () => {
  it("preserves any text", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(3, 4), (content, min) => {
        const tokens = markdown.parse(`before\n\n${fenced(content, "", min)}\n\nafter`, {});
        const fences = tokens.filter(({ type }) => type === "fence");
        expect(fences).toHaveLength(1);
        expect(fences[0]?.content.replace(/\n$/, "")).toBe(content.replace(/\n$/, ""));
        expect(fences[0]?.markup.length).toBeGreaterThanOrEqual(min);
        expect(tokens.at(-2)?.content).toBe("after");
      }),
    );
  });

  it("states its language, and ends the last line if the text does not", () => {
    expect(fenced("a", "js")).toBe("```js\na\n```");
    expect(fenced("a\n", "js", 4)).toBe("````js\na\n````");
    expect(fenced("a\n\n")).toBe("```\na\n\n```");
  });

  it("is found for more runs than a function accepts arguments, as in minified code", () => {
    expect(fenced("` ".repeat(300_000))).toMatch(/^```\n/);
  });
});

describe("inline code", () => {
  it("preserves any text on one line", () => {
    fc.assert(
      fc.property(text, (content) => {
        const span = codeSpan(content);
        expect(span).not.toContain("\n");
        if (content.trim() === "") return;
        const [inline] = markdown.parseInline(`x${span}y`, {});
        expect(inline?.children?.map(({ type }) => type)).toEqual(["text", "code_inline", "text"]);
        expect(inline?.children?.[1]?.content.trim()).toBe(content.replace(/\n+/g, " ").trim());
      }),
    );
  });
});
