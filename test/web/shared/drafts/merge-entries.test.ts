import { describe, expect, it } from "vitest";
import { mergeEntries, mergeText } from "../../../../web/shared/drafts/merge-entries.ts";

describe("a text that two tabs have changed", () => {
  it.each([
    ["is the changed one if only one tab has changed it", "a", "a", "a b", "a b"],
    ["is this tab's if the other has not changed it", "a", "a b", "a", "a b"],
    ["is the longer one if it contains the other", "", "more words", "words", "more words"],
    ["is the other's if that contains it", "", "words", "more words", "more words"],
    ["has both texts if both differ", "a", "mine", "theirs", "theirs\n\nmine"],
    ["is not emptied by the tab that has deleted it", "a", "", "a b", "a b"],
  ])("%s", (_what, base, mine, theirs, merged) => {
    expect(mergeText(base, mine, theirs)).toBe(merged);
  });

  it("is merged by its key", () => {
    const merged = mergeEntries(
      [["1", "a"]],
      [
        ["1", "mine"],
        ["2", "own"],
      ],
      [["1", "theirs"]],
      (base = "", mine = "", theirs = "") => mergeText(base, mine, theirs),
    );
    expect([...merged]).toEqual([
      ["1", "theirs\n\nmine"],
      ["2", "own"],
    ]);
  });
});
