import { describe, expect, it } from "vitest";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { describeChange } from "../../../../web/code/diff/notice-row.tsx";

const file = (members: Partial<DiffFile>) => ({ path: "lib", status: "modified", ...members }) as DiffFile;

describe("the description of a change without lines", () => {
  it.each([
    ["added", { status: "added", newMode: "160000" }, "A submodule was added."],
    ["deleted", { status: "deleted", oldMode: "160000" }, "A submodule was deleted."],
    ["changed", { oldMode: "160000", newMode: "160000" }, "A submodule, now at another commit."],
  ] as const)("names a submodule that was %s", (_change, members, text) => {
    expect(describeChange(file(members))).toBe(text);
  });

  it("names the modes of a file that became a submodule", () => {
    expect(describeChange(file({ status: "type-changed", oldMode: "100644", newMode: "160000" }))).toBe(
      "A submodule, now at another commit. Its mode changed from 100644 to 160000.",
    );
  });
});
