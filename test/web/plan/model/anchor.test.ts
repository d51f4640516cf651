import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../../src/render/markdown/parse/parse-markdown.ts";
import {
  blockAnchor,
  documentText,
  drawnRanges,
  findAnchorBlocks,
  linesAnchor,
  pointInText,
  removedAnchor,
  toAnchor,
} from "../../../../web/plan/model/anchor.ts";
import { relocateAnnotations } from "../../../../web/plan/model/annotations.ts";
import { relocate } from "../../../../web/plan/model/relocate.ts";
import { samplePlan } from "../../../support/plans.ts";

const document = parseMarkdown(samplePlan);

/** Returns the anchor of the first occurrence of the rendered `text`. */
function anchorAt(text: string, source = samplePlan) {
  const parsed = parseMarkdown(source);
  const at = documentText(parsed).indexOf(text);
  const range = { first: pointInText(parsed, at), last: pointInText(parsed, at + text.length) };
  const anchor = toAnchor(parsed, range);
  if (!anchor) throw new Error(`${text} is not drawn`);
  return anchor;
}

describe("an anchor", () => {
  it("contains offsets, lines, quote and surroundings of rendered text", () => {
    const anchor = anchorAt("process memory");
    expect(samplePlan.slice(anchor.start, anchor.end)).toBe("process memory");
    expect(anchor).toMatchObject({ startLine: 3, endLine: 3, quote: "process memory" });
    expect(anchor.prefix.endsWith("We keep sessions in ")).toBe(true);
    expect(anchor.suffix.startsWith(" today.")).toBe(true);
  });

  it.each([
    ["within it", "Use `code` and *style* here.", "and style here", "and *style* here"],
    ["at its beginning", "Use `code` and *style* here.", "code and style here", "`code` and *style* here"],
    ["at its end", "Use `code` and *style* here.", "Use code and style", "Use `code` and *style*"],
    ["not what is around all of it", "Use **this** here.", "this", "this"],
    ["of a list item taken whole", "- **Now** or `never`", "Now or never", "**Now** or `never`"],
    ["of a paragraph taken whole", "[Now](x.md), *or never*", "Now, or never", "[Now](x.md), *or never*"],
    ["of a link it begins with", "See [now](x.md) or never.", "now or", "[now](x.md) or"],
    ["of a link it ends with", "See [now](x.md) or never.", "See now", "See [now](x.md)"],
    ["of a cell", "| a | b |\n|---|---|\n| **c** d | e |", "c d\ne", "**c** d | e"],
    ["none of a code block", "```\n**a** b\n```", "a** b", "a** b"],
  ])("takes markup along: %s", (_where, source, drawn, taken) => {
    const anchor = anchorAt(drawn, source);
    expect(source.slice(anchor.start, anchor.end)).toBe(taken);
    expect(anchor.quote).toBe(drawn);
  });

  it("spans blocks", () => {
    const anchor = anchorAt("everybody out.\nNobody may");
    expect(anchor).toMatchObject({ startLine: 3, endLine: 6 });
    expect(findAnchorBlocks(document, anchor).map((block) => document.blocks[block]?.name)).toEqual([
      "paragraph",
      "paragraph",
    ]);
  });

  it("of a whole block covers its text; of an image alone, its source", () => {
    const row = document.blocks.findIndex(({ name, startLine }) => name === "table row" && startLine === 12);
    expect(blockAnchor(document, row)?.quote).toBe("Store\nMap in memory\nRedisSessionStore");
    const image = parseMarkdown("![alt](a.png)\n");
    expect(blockAnchor(image, 0)).toMatchObject({ quote: "![alt](a.png)", startLine: 1 });
  });

  it("for source lines is that of their rendered text", () => {
    const line = (text: string) =>
      samplePlan.split("\n").findIndex((written) => written.startsWith(text)) + 1;
    const quoteOf = (first: number, last = first) => linesAnchor(document, first, last)?.quote;
    expect(quoteOf(line("- [x] Contract"))).toBe("Contract tests");
    expect(quoteOf(line("## Steps"))).toBe("Steps");
    expect(quoteOf(line("| Store"))).toBe("Store\nMap in memory\nRedisSessionStore");
    expect(quoteOf(line("export interface"), line("export interface") + 2)).toMatch(/^export.*}$/s);
    expect(quoteOf(2)).toBeUndefined();
    expect(linesAnchor(document, line("|---"), line("|---"))?.quote).toBe("|---|---|---|");
  });

  it("is rendered where it was taken, for any range of any plan", () => {
    const text = documentText(document);
    const offset = fc.integer({ min: 0, max: text.length });
    fc.assert(
      fc.property(offset, offset, (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const range = { first: pointInText(document, from), last: pointInText(document, to) };
        const anchor = toAnchor(document, range);
        if (!anchor) return;
        const drawn = drawnRanges(document, anchor).map(({ leaf, start, end }) =>
          document.leaves[leaf]?.text.slice(start, end),
        );
        expect(drawn.join("\n")).toContain(anchor.quote.replace(/\[$|^\]|^\d\]|\[\d$/g, "").trim());
      }),
      { numRuns: 300 },
    );
  });
});

describe("an anchor in the next round", () => {
  it("moves with its text", () => {
    const anchor = anchorAt("single point of failure");
    const revised = parseMarkdown(`# New start\n\nNew text.\n\n${samplePlan}`);
    const found = relocate(revised, anchor);
    expect(found?.startLine).toBe(anchor.startLine + 4);
    expect(revised.source.slice(found?.start, found?.end)).toBe("single point of failure");
  });

  it("chooses among equal texts by their surroundings", () => {
    const source = "- add tests for a\n- add tests for b\n- add tests for c\n";
    const second = source.indexOf("add tests", source.indexOf("add tests") + 1);
    const range = parseMarkdown(source);
    const anchor = toAnchor(range, { first: { leaf: 1, offset: 0 }, last: { leaf: 1, offset: 9 } });
    expect(anchor?.start).toBe(second);
    const found = anchor && relocate(parseMarkdown(`Intro.\n\n${source}`), anchor);
    expect(found?.startLine).toBe(4);
  });

  it("is found in text that is wrapped differently", () => {
    const anchor = anchorAt("one two three", "one two three four");
    expect(relocate(parseMarkdown("zero one\ntwo\nthree four"), anchor)?.quote).toBe("one\ntwo\nthree");
  });

  it("is found for a quote of 20,000 words, wrapped differently", () => {
    const terms = Array.from({ length: 20_000 }, (_, index) => `word${index}`);
    const anchor = anchorAt(terms.join(" "), terms.join(" "));
    const revised = parseMarkdown(`# New\n\n${terms.join("\n")}\n\nEnd.\n`);
    const found = relocate(revised, anchor);
    expect(found).toMatchObject({ startLine: 3, endLine: 20_002 });
    expect(found?.quote).toBe(terms.join("\n"));
  });

  it("is found for a quote with special characters of regular expressions", () => {
    const quote = "a.b*c+?^$ {}()|[d]\\\\e";
    const source = `\`${quote}\` x`;
    expect(relocate(parseMarkdown(`New. ${source}`), anchorAt(quote, source))?.quote).toBe(quote);
  });

  it("is found for each of 2,000 annotations on a plan of 2,000 lines", () => {
    const source = Array.from({ length: 2_000 }, (_, index) => `- step ${index} is here\n`).join("");
    const parsed = parseMarkdown(source);
    const notes = parsed.blocks.map(({ index }) => {
      const anchor = blockAnchor(parsed, index);
      return {
        id: String(index),
        type: "comment",
        text: "x",
        createdAt: "",
        ...(anchor && { anchor }),
      } as const;
    });
    const placed = relocateAnnotations(parseMarkdown(`# New\n\n${source}`), notes);
    expect(placed.filter(({ lost }) => lost)).toEqual([]);
    expect(placed.map(({ annotation }) => annotation.anchor?.startLine)).toEqual(
      notes.map((_, index) => index + 3),
    );
  });

  it("marks the former position of removed text", () => {
    const note = {
      id: "1",
      type: "comment",
      anchor: anchorAt("single point of failure"),
      text: "",
      createdAt: "",
    } as const;
    const revised = parseMarkdown(
      `# New start\n\n${samplePlan.replace("single point of failure", "replicated service")}`,
    );
    const [placed] = relocateAnnotations(revised, [note]);
    expect(placed?.lost).toBe(true);
    expect(placed?.annotation.anchor).toMatchObject({
      startLine: note.anchor.startLine + 2,
      quote: "single point of failure",
    });
    const shorter = relocateAnnotations(parseMarkdown("One line."), [note]);
    expect(shorter[0]?.annotation.anchor).toMatchObject({ start: 0, end: 0, startLine: 1 });
  });

  it("stays at the former position of removed text, even if the text occurs elsewhere", () => {
    const source = "# Steps\n\nWrite the tests first of all.\n\nThen remove the old code.\n";
    const at = source.indexOf("first");
    const anchor = removedAnchor(parseMarkdown(source), at, "the");
    expect(anchor).toMatchObject({ start: at, end: at, startLine: 3, quote: "the", removed: true });
    const revised = parseMarkdown(`Something about the team.\n\n${source}`);
    const found = relocate(revised, anchor);
    expect(found).toMatchObject({ startLine: 5, quote: "the", removed: true });
    expect(revised.source.slice(found?.start).trimStart().startsWith("first of all")).toBe(true);
  });

  it("is lost, not misplaced, if the text is gone; its annotation keeps the quote", () => {
    const anchor = anchorAt("single point of failure");
    const revised = parseMarkdown(samplePlan.replace("single point of failure", "replicated service"));
    expect(relocate(revised, anchor)).toBeUndefined();
    const note = { id: "1", type: "comment", anchor, text: "x", createdAt: "" } as const;
    const [placed] = relocateAnnotations(revised, [note]);
    expect(placed?.lost).toBe(true);
    expect(placed?.annotation.anchor?.quote).toBe("single point of failure");
    expect(drawnRanges(revised, placed?.annotation.anchor ?? anchor)).toEqual([]);
  });
});
