import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";
import { withClosedFence } from "../../../src/render/markdown/closed-fences.ts";

describe("withClosedFence", () => {
  it.each([
    ["no fence at all", "no fence at all"],
    ["```js\nclosed\n```\nafter", "```js\nclosed\n```\nafter"],
    ["```js\nleft open", "```js\nleft open\n```"],
    ["left open\r\n````\r\n```\r\n", "left open\r\n````\r\n```\r\n````"],
    ["~~~\n```\nstill open", "~~~\n```\nstill open\n~~~"],
    ["``` is `no` fence", "``` is `no` fence"],
    ["    ```\nindented code is none", "    ```\nindented code is none"],
  ])("makes of %j %j", (text, closed) => {
    expect(withClosedFence(text)).toBe(closed);
  });

  it("leaves no later text inside a block, for a Markdown parser", () => {
    const reader = new MarkdownIt();
    const pieces = fc.constantFrom("```", "````", "~~~", "```js", "a", " ", "\n", "\n\n", "`");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => {
        const tokens = reader.parse(`${withClosedFence(parts.join(""))}\n\n# Beneath`, {});
        expect(tokens.some(({ type, content }) => type === "inline" && content === "Beneath")).toBe(true);
      }),
    );
  });
});
