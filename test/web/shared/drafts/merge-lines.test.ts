import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLines } from "../../../../web/shared/drafts/merge-lines.ts";

describe("merging two tabs' versions of a long text", () => {
  it.each([
    ["changes of different lines", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"],
    ["an insertion before a change", "a\nb", "x\na\nb", "a\nB", "x\na\nB"],
    ["the same change", "a\nb", "a\nB", "a\nB", "a\nB"],
    ["a deletion of other lines", "a\nb\nc\nd\ne", "a\nc\nd\ne", "a\nb\nc\nd\nE", "a\nc\nd\nE"],
    ["different changes of a line", "a\nb\nc", "a\nmine\nc", "a\ntheirs\nc", "a\ntheirs\nmine\nc"],
    ["a deletion of a changed line", "a\nb\nc", "a\nc", "a\nB\nc", "a\nB\nc"],
    ["a text that is new in both tabs", "", "mine", "theirs", "theirs\nmine"],
  ])("keeps %s", (_what, base, mine, theirs, merged) => {
    expect(mergeLines(base, mine, theirs)).toBe(merged);
  });

  it("keeps every line that one tab has added", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        expect(mergeLines(base, mine, base)).toBe(mine);
        expect(mergeLines(base, base, theirs)).toBe(theirs);
        const known = new Set(base.split("\n"));
        const merged = new Set(mergeLines(base, mine, theirs).split("\n"));
        for (const line of `${mine}\n${theirs}`.split("\n"))
          if (!known.has(line)) expect(merged).toContain(line);
      }),
    );
  });
});
