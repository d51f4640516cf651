import { describe, expect, it } from "vitest";
import { mergeById } from "../../../../web/shared/drafts/merge-by-id.ts";

const note = (id: string, text: string) => ({ id, text });
const copyOf = (item: { readonly id: string; readonly text: string }) => ({ ...item, id: `${item.id}-copy` });
const merge = (
  base: readonly ReturnType<typeof note>[],
  mine: readonly ReturnType<typeof note>[],
  theirs: readonly ReturnType<typeof note>[],
) => mergeById(base, mine, theirs, copyOf);

describe("the notes of two tabs", () => {
  const base = [note("a", "first"), note("b", "second")];

  it("are all kept when each tab has added one", () => {
    expect(merge(base, [...base, note("c", "mine")], [...base, note("d", "theirs")])).toEqual([
      ...base,
      note("d", "theirs"),
      note("c", "mine"),
    ]);
    expect(merge([], [note("c", "mine")], [note("d", "theirs")])).toHaveLength(2);
  });

  it("are as the tab left them that changed or deleted one", () => {
    expect(merge(base, [note("a", "changed"), base[1] as never], base)).toEqual([
      note("a", "changed"),
      base[1],
    ]);
    expect(merge(base, base, [note("a", "changed"), base[1] as never])).toEqual([
      note("a", "changed"),
      base[1],
    ]);
    expect(merge(base, [base[1] as never], base)).toEqual([base[1]]);
    expect(merge(base, base, [base[1] as never])).toEqual([base[1]]);
  });

  it("lose no words where both tabs changed the same one, or one changed what the other deleted", () => {
    expect(
      merge(base, [note("a", "mine"), base[1] as never], [note("a", "theirs"), base[1] as never]),
    ).toEqual([note("a", "theirs"), note("a-copy", "mine"), base[1]]);
    expect(merge(base, [note("a", "mine"), base[1] as never], [base[1] as never])).toContainEqual(
      note("a", "mine"),
    );
    expect(merge(base, [base[1] as never], [note("a", "theirs"), base[1] as never])).toContainEqual(
      note("a", "theirs"),
    );
  });
});
