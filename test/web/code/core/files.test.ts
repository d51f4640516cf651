import { describe, expect, it } from "vitest";
import { filterFiles, treeOrder, treeRows } from "../../../../src/render/diff/patch/file-tree.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { estimatedRows } from "../../../../web/code/core/rows/file-body.ts";

const file = (index: number, path: string, members: Partial<DiffFile> = {}): DiffFile => ({
  index,
  path,
  status: "modified",
  additions: 1,
  deletions: 1,
  binary: false,
  generated: false,
  patchSize: 100,
  fingerprint: `${index}`,
  ...members,
});

const files = ["src/web/page/a.ts", "src/web/page/b.ts", "README.md", "src/web/z.ts", "src-other/x.ts"].map(
  (path, index) => file(index, path),
);

describe("treeRows", () => {
  it("joins folders that contain only one folder, and lists folders first", () => {
    expect(treeRows(files, new Set()).map((row) => `${"  ".repeat(row.depth)}${row.name}`)).toEqual([
      "src-other",
      "  x.ts",
      "src/web",
      "  page",
      "    a.ts",
      "    b.ts",
      "  z.ts",
      "README.md",
    ]);
  });

  it("omits the content of a closed folder, but counts it", () => {
    const rows = treeRows(files, new Set(["src/web/"]));
    expect(rows.map((row) => row.name)).toEqual(["src-other", "x.ts", "src/web", "README.md"]);
    expect(rows[2]).toMatchObject({ open: false, fileCount: 3 });
  });

  it("has the order of the diff", () => {
    expect(treeOrder(files).map(({ index }) => index)).toEqual([4, 0, 1, 3, 2]);
  });
});

describe("filterFiles", () => {
  it("matches all words, ignoring case, also in former names", () => {
    expect(filterFiles(files, "PAGE b.ts").map(({ path }) => path)).toEqual(["src/web/page/b.ts"]);
    expect(filterFiles(files, "")).toBe(files);
    expect(filterFiles([file(0, "new.ts", { oldPath: "legacy.ts" })], "legacy")).toHaveLength(1);
  });
});

describe("estimatedRows", () => {
  it("counts side-by-side rows by the longer side, and adds context by the patch's size", () => {
    const changed = file(0, "a", { additions: 10, deletions: 6, patchSize: 36 * 40 });
    expect(estimatedRows(changed, "unified")).toBe(40);
    expect(estimatedRows(changed, "split")).toBe(34);
  });

  it("supports files without lines and files without context", () => {
    expect(estimatedRows(file(0, "a.png", { binary: true }), "split")).toBe(1);
    expect(estimatedRows(file(0, "a", { additions: 0, deletions: 0 }), "split")).toBe(1);
    expect(
      estimatedRows(file(0, "a", { status: "added", additions: 9, deletions: 0, patchSize: 9_000 }), "split"),
    ).toBe(9);
  });
});
