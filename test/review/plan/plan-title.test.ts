import fastCheck from "fast-check";
import { describe, expect, it } from "vitest";
import { planTitle } from "../../../src/review/plan/plan-title.ts";
import { toFileTitle, toSlug } from "../../../src/review/storage/file-names.ts";

describe("planTitle", () => {
  it.each([
    ["# Dig the tunnel\n\ntext", "Dig the tunnel"],
    ["text first\n\n## Then a **heading** ##", "Then a heading"],
    ["\n\nonly text\nmore", "only text"],
    ["```\n# in a fence\n```\n# Real", "Real"],
    ["````\n```\n# still inside\n````\n# Real", "Real"],
    ["~~~\n# inside\n~~~\n\n   # Real", "Real"],
    ["#hashtag is no heading\n# Real", "Real"],
    ["# \n# Second", "Second"],
    ["# C:\\windows `code`\r\n", "C:\\windows code"],
    ["# NUL\0in", "NULin"],
    ["", "Plan"],
    ["```\nnever closed", "Plan"],
    ["# Rename `user_id` to account_id in `__init__.py`", "Rename user_id to account_id in __init__.py"],
    ["# **Drop `a*b` and \\* at once**", "Drop a*b and * at once"],
    ["# A **bold**, *slanted*, _leaning_ and ~~gone~~ word", "A bold, slanted, leaning and gone word"],
    ["# 2 * 3 * 4 and ~/notes ~ here", "2 * 3 * 4 and ~/notes ~ here"],
    ["# `a*b*c` and ``x`y``", "a*b*c and x`y"],
    ["# See [the docs](https://x.y/z) ![and](a.png)", "See the docs and"],
    ["# Not \\*slanted\\*, C:\\temp", "Not *slanted*, C:\\temp"],
    ["---\nname: x\n# a comment\n---\n\nSome text", "Some text"],
    ["---\nname: never closed\n# Real", "Real"],
    ["---\n\n<!-- for the reader -->\n- first point", "first point"],
    ["Written above\n=====\n\ntext", "Written above"],
  ])("of %j is %j", (plan, title) => {
    expect(planTitle(plan)).toBe(title);
  });

  it("is found in linear time in a line of any length", () => {
    for (const sign of ["*", "_", "`", "[", "~~", "\\"]) {
      expect(planTitle(`# a${sign.repeat(2_000_000)}`)).toMatch(/^a/);
    }
  });

  it("is cut at 120 characters, never inside one", () => {
    const title = planTitle(`# ${"🏰".repeat(200)}`);
    expect(Array.from(title)).toHaveLength(120);
  });
});

describe("toSlug", () => {
  it.each([
    ["Dig the Tunnel", "dig-the-tunnel"],
    ["../../../escape", "escape"],
    ["/absolute/title", "absolute-title"],
    ["計画 トンネル 🏰", "計画-トンネル"],
    ["Größe: 2 m?", "größe-2-m"],
    ["...", "plan"],
    ["", "plan"],
  ])("of %j is %j", (title, slug) => {
    expect(toSlug(title)).toBe(slug);
  });

  it("is a safe and short file name for any title", () => {
    fastCheck.assert(
      fastCheck.property(fastCheck.string({ unit: "binary", maxLength: 300 }), (title) => {
        const slug = toSlug(title);
        expect(slug).toMatch(/^[\p{L}\p{N}\p{M}-]+$/u);
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(180);
      }),
    );
  });
});

describe("toFileTitle", () => {
  it.each([
    ["Dig the tunnel", "Dig the tunnel"],
    ['../../outside/a/b: "x" *?<>|', "outside a b x"],
    ["Use [[links]] #tags", "Use links tags"],
    [". .", "Plan"],
    ["", "Plan"],
  ])("of %j is %j", (title, name) => {
    expect(toFileTitle(title)).toBe(name);
  });
});
