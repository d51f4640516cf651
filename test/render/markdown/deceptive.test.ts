import { describe, expect, it } from "vitest";
import { type CommentSearch, findDeceptions } from "../../../src/render/markdown/deceptive.ts";

const shown = (text: string) => findDeceptions(text).map((found) => found.shown);
const bidi = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200e, 0x200f, 0x061c];
const unseen = [
  0x200b, 0x2060, 0x2061, 0xfeff, 0x00ad, 0x180e, 0x034f, 0x115f, 0x17b4, 0x3164, 0xffa0, 0x2800,
];
const others = [0x0000, 0x0007, 0x001b, 0x0085, 0x2028, 0x2029, 0xe0001, 0xe0041, 0xe0100];

describe("characters that deceive", () => {
  it.each([...bidi, ...unseen, ...others])("names U+%i", (point) => {
    const name = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
    expect(shown(`a${String.fromCodePoint(point)}b`)).toEqual([name]);
  });

  it("exclude ordinary text: tabs, line ends, umlauts, composed emoji, Persian, Hindi", () => {
    for (const text of ["a\tb\r\nc", "Größe – 大", "👩‍👩‍👧 🏳️‍🌈 ❤️‍🔥", "می‌خواهم", "क्‍ष", "  indented code"]) {
      expect(shown(text), text).toEqual([]);
    }
  });

  it("include a joiner between Latin letters", () => {
    expect(shown("pass\u200dword")).toEqual(["U+200D"]);
  });

  it("include spaces that push text out of view, but not indentation", () => {
    expect(shown(`ls${" ".repeat(120)}; rm -rf /`)).toEqual(["␣ × 120"]);
    expect(shown(`${" ".repeat(120)}ls`)).toEqual([]);
  });

  it("include HTML comments, with their text", () => {
    expect(shown("a <!-- b --> c")).toEqual(["<!-- b -->"]);
    expect(shown("a <!-- never closed")).toEqual(["<!-- never closed"]);
    expect(shown("a --> b")).toEqual([]);
  });

  it("continue an open HTML comment from the text before, and ignore comments in code", () => {
    const found = (text: string, comments: CommentSearch) =>
      findDeceptions(text, comments).map((deception) => deception.shown);
    expect(found("b --> c", "inside")).toEqual(["b -->"]);
    expect(found("b", "inside")).toEqual(["b"]);
    expect(found("b --> c <!-- d", "inside")).toEqual(["b -->", "<!-- d"]);
    expect(found("a <!-- b --> c", "none")).toEqual([]);
  });
});
