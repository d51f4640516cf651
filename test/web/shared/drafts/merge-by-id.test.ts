import { describe, expect, it } from "vitest";
import { mergeById } from "../../../../web/shared/drafts/merge-by-id.ts";

const annotation = (id: string, text: string) => ({ id, text });
const copyOf = (item: { readonly id: string; readonly text: string }) => ({ ...item, id: `${item.id}-copy` });
const merge = (
  base: readonly ReturnType<typeof annotation>[],
  mine: readonly ReturnType<typeof annotation>[],
  theirs: readonly ReturnType<typeof annotation>[],
) => mergeById(base, mine, theirs, copyOf);

describe("the annotations of two tabs", () => {
  const base = [annotation("a", "first"), annotation("b", "second")];

  it("are all kept when each tab has added one", () => {
    expect(merge(base, [...base, annotation("c", "mine")], [...base, annotation("d", "theirs")])).toEqual([
      ...base,
      annotation("d", "theirs"),
      annotation("c", "mine"),
    ]);
    expect(merge([], [annotation("c", "mine")], [annotation("d", "theirs")])).toHaveLength(2);
  });

  it("are those of the tab that changed or deleted one", () => {
    expect(merge(base, [annotation("a", "changed"), base[1] as never], base)).toEqual([
      annotation("a", "changed"),
      base[1],
    ]);
    expect(merge(base, base, [annotation("a", "changed"), base[1] as never])).toEqual([
      annotation("a", "changed"),
      base[1],
    ]);
    expect(merge(base, [base[1] as never], base)).toEqual([base[1]]);
    expect(merge(base, base, [base[1] as never])).toEqual([base[1]]);
  });

  it("keep all text if both tabs changed one, or one changed what the other deleted", () => {
    expect(
      merge(base, [annotation("a", "mine"), base[1] as never], [annotation("a", "theirs"), base[1] as never]),
    ).toEqual([annotation("a", "theirs"), annotation("a-copy", "mine"), base[1]]);
    expect(merge(base, [annotation("a", "mine"), base[1] as never], [base[1] as never])).toContainEqual(
      annotation("a", "mine"),
    );
    expect(merge(base, [base[1] as never], [annotation("a", "theirs"), base[1] as never])).toContainEqual(
      annotation("a", "theirs"),
    );
  });
});
