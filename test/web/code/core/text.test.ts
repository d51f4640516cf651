import { tokenNames } from "@pierre/highlights";
import { diffWordsWithSpace } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import { detectLanguage } from "../../../../src/render/diff/text/language.ts";
import { shownLength, splitSegments } from "../../../../src/render/diff/text/segments.ts";
import { TOKEN_CLASSES, TOKEN_TYPES } from "../../../../src/render/diff/text/token-types.ts";
import { indexTokens, LINE_BREAK } from "../../../../src/render/diff/text/tokens.ts";
import { wordChanges } from "../../../../src/render/diff/text/word-diff.ts";
import { thousands } from "../../../../web/code/core/count.ts";
import { nearest, rangesIn, searchPatch, toPattern } from "../../../../web/code/core/text/search.ts";
import { recordsFromHtml, scriptHighlighter } from "../../../../web/code/highlight/script-highlighter.ts";

it("separates thousands with commas, as the browser does", () => {
  for (const count of [0, 7, 999, 1_000, 23_456, 999_999, 1_000_000]) {
    expect(thousands(count)).toBe(count.toLocaleString("en"));
  }
});

describe("wordChanges", () => {
  it("marks the words that differ", () => {
    expect(wordChanges("const a = 1;", "const a = 22;")).toEqual({ old: [10, 11], new: [10, 12] });
  });

  it.each([
    ["lines that share next to nothing", "abc def ghi", "zzz yyy xxx"],
    ["an empty line", "", "something"],
    ["a line too long to compare", `a ${"x".repeat(2_000)}`, `b ${"x".repeat(2_000)}`],
  ])("marks nothing in %s", (_name, before, after) => {
    expect(wordChanges(before, after)).toEqual({ old: [], new: [] });
  });

  it("compares the words that diffWordsWithSpace compares", () => {
    const piece = fc.constantFrom(
      "value",
      "Value1",
      "größe",
      "слово",
      "字",
      " ",
      "\t",
      "(",
      "\r",
      "𝒳",
      "×",
      "_a",
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = wordChanges(before, after);
        if (changes.old.length + changes.new.length === 0) return;
        let [oldColumn, newColumn] = [0, 0];
        const [old, next] = [new Set<number>(), new Set<number>()];
        for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
          for (let step = 0; step < value.length; step++) {
            if (removed) old.add(oldColumn + step);
            if (added) next.add(newColumn + step);
          }
          if (!added) oldColumn += value.length;
          if (!removed) newColumn += value.length;
        }
        expect([columnsIn(changes.old), columnsIn(changes.new)]).toEqual([old, next]);
      }),
    );
  });

  it("excludes equal text", () => {
    const pieces = fc.array(fc.constantFrom("a", "bc", " ", "(", "é", "𝒳"), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, pieces, (left, right) => {
        const [before, after] = [left.join(""), right.join("")];
        const changes = wordChanges(before, after);
        if (changes.old.length + changes.new.length === 0) return;
        expect(without(before, changes.old)).toBe(without(after, changes.new));
      }),
    );
  });
});

function columnsIn(ranges: readonly number[]): ReadonlySet<number> {
  const columns = new Set<number>();
  for (let index = 0; index < ranges.length; index += 2)
    for (let column = ranges[index] ?? 0; column < (ranges[index + 1] ?? 0); column++) columns.add(column);
  return columns;
}

function without(text: string, ranges: readonly number[]): string {
  let kept = "";
  let at = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    kept += text.slice(at, ranges[index]);
    at = ranges[index + 1] ?? at;
  }
  return kept + text.slice(at);
}

describe("segmentsOf", () => {
  it("marks every match of a line, and the current one differently", () => {
    const found = Array.from({ length: 20_000 }, (_, at) => at * 2).flatMap((at) => [at, at + 1]);
    const segments = splitSegments("ab".repeat(20_000), { changed: [], found, current: 4 });
    expect(segments).toHaveLength(40_000);
    expect(segments.slice(0, 6).map((each) => each.found)).toEqual([1, 0, 1, 0, 2, 0]);
    expect(segments.every((each) => (each.found === 0) === (each.text === "b"))).toBe(true);
  });

  it("merges tokens, changed words and matches without losing a character", () => {
    const tokens = indexTokens(Uint32Array.of(5, 17, 11, 1, 12, LINE_BREAK, 15, 4));
    const segments = splitSegments("const value", {
      tokens,
      tokenLine: 0,
      changed: [6, 11],
      found: [4, 7],
      current: 4,
    });
    expect(segments.map(({ text, type, changed, found }) => [text, type, changed, found])).toEqual([
      ["cons", 17, false, 0],
      ["t", 17, false, 2],
      [" ", 1, false, 2],
      ["v", 1, true, 2],
      ["alue", 1, true, 0],
    ]);
    expect(splitSegments("abc", { tokens, tokenLine: 1, changed: [], found: [] })).toMatchObject([
      { text: "abc", type: 4 },
    ]);
  });

  it("never cuts a surrogate pair", () => {
    expect(shownLength("ab😀", 3)).toBe(2);
    expect(shownLength("ab😀", 4)).toBe(4);
  });
});

describe("searchPatch", () => {
  const patch = scanPatch(
    "diff --git a/find b/find\n@@ -1,2 +1,3 @@ find\n find me\n-find old Find\n+new\n+find\r\n@@ -9 +10 @@\n-x\n+find\n",
  );
  const where = (text: string, matchCase = true, regex = false) =>
    searchPatch(patch, { text, matchCase, regex }, 100).map((match) => [
      match.side,
      match.number,
      match.start,
    ]);

  it("finds every line on its side, and nothing in headers", () => {
    expect(where("find")).toEqual([
      ["new", 1, 0],
      ["old", 2, 0],
      ["new", 3, 0],
      ["new", 10, 0],
    ]);
  });

  it("ignores case on request", () => expect(where("FIND", false)).toHaveLength(5));

  it("matches an expression line by line", () => {
    expect(where("^find$", true, true)).toEqual([
      ["new", 3, 0],
      ["new", 10, 0],
    ]);
    expect(where("f.*d", true, true)[1]).toEqual(["old", 2, 0]);
  });

  it("does not match across lines, and stops at its limit", () => {
    expect(where("new\n+find")).toEqual([]);
    expect(searchPatch(patch, { text: "find", matchCase: true, regex: false }, 2)).toHaveLength(2);
  });

  it("reports an invalid expression, and searches text literally", () => {
    expect(toPattern({ text: "(", matchCase: false, regex: true })).toMatch(/group|Unterminated/i);
    expect(rangesIn("a.b axb", toPattern({ text: "a.b", matchCase: true, regex: false }) as RegExp)).toEqual([
      0, 3,
    ]);
    expect(toPattern({ text: "", matchCase: false, regex: false })).toBeUndefined();
    expect(rangesIn("aaa", /b*/g)).toEqual([]);
  });

  it("marks the matches around the current one in a line that has thousands", () => {
    const ranges = rangesIn("ab".repeat(5_000), /b/g);
    expect(nearest(ranges)).toEqual(ranges.slice(0, 400));
    const around = nearest(ranges, 4_001);
    expect(around).toHaveLength(400);
    expect([around[0], around[200], around[201]]).toEqual([3_801, 4_001, 4_002]);
    expect(nearest(ranges.slice(0, 40), 9)).toHaveLength(40);
  });
});

describe("highlighting", () => {
  it("numbers token types as the highlighter does", () => {
    expect(Object.keys(TOKEN_TYPES)).toEqual([...tokenNames]);
    expect(Object.values(TOKEN_TYPES)).toEqual(tokenNames.map((_, index) => index));
    expect(TOKEN_CLASSES).toHaveLength(tokenNames.length);
  });

  it("converts highlight.js markup to records", () => {
    const records = recordsFromHtml(
      '<span class="hljs-keyword">if</span> a &lt; b\n<span class="hljs-comment">// x\n// y</span>',
    );
    const { keyword, comment } = TOKEN_TYPES;
    expect([...records]).toEqual([
      2,
      keyword,
      5,
      0,
      6,
      0,
      8,
      0,
      9,
      LINE_BREAK,
      13,
      comment,
      14,
      LINE_BREAK,
      18,
      comment,
    ]);
  });

  it("falls back to highlight.js with offsets that cover the text", () => {
    const text = 'const a = "<b>"; // &amp;\nfoo(1)';
    const tokens = indexTokens(scriptHighlighter(text, "typescript") ?? new Uint32Array());
    const lines = text.split("\n");
    lines.forEach((line, index) => {
      const segments = splitSegments(line, { tokens, tokenLine: index, changed: [], found: [] });
      expect(segments.map((segment) => segment.text).join("")).toBe(line);
    });
    expect(splitSegments(lines[0] ?? "", { tokens, changed: [], found: [] })[0]?.type).toBe(
      TOKEN_TYPES.keyword,
    );
    expect(scriptHighlighter("x", "no such language")).toBeUndefined();
  });
});

describe("languageOf", () => {
  it.each([
    ["src/a.ts", "ts"],
    ["Dockerfile.dev", "dockerfile"],
    ["Makefile", "makefile"],
    ["a/b/LICENSE", "text"],
    ["x.pyi", "python"],
    ["constructor", "text"],
    ["a.toString", "tostring"],
  ])("%s is %s", (path, language) => expect(detectLanguage(path)).toBe(language));
});
