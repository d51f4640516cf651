import { describe, expect, it } from "vitest";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { type PaletteContent, paletteGroups } from "../../../../web/code/dialogs/palette-entries.ts";

const fileNamed = (path: string): DiffFile => {
  const counts = { additions: 1, deletions: 1, patchSize: 1, fingerprint: "" };
  return { index: 0, path, status: "modified", binary: false, generated: false, ...counts };
};
const command = (label: string) => ({ label, run: () => undefined });

function listed(text: string, content: Partial<PaletteContent>): Record<string, readonly string[]> {
  const groups = paletteGroups(text, { files: [], actions: [], moves: [], reviews: [], ...content });
  return Object.fromEntries(
    groups.map(({ name, files, commands }) => [
      name,
      [...files.map(({ path }) => path), ...commands.map(({ label }) => label)],
    ]),
  );
}

describe("the content of the palette", () => {
  const actions = ["Approve …", "Toggle line wrap"].map(command);
  const moves = ["Next line", "Start of the diff"].map(command);

  it("begins with the first files, then actions, then moves", () => {
    const files = Array.from({ length: 20 }, (_, index) => fileNamed(`src/${index}.ts`));
    const content = listed("", { files, actions, moves });
    expect(Object.keys(content)).toEqual(["Files", "Actions", "Move"]);
    expect(content["Files"]).toEqual(files.slice(0, 6).map(({ path }) => path));
    expect(content["Move"]).toEqual(["Next line", "Start of the diff"]);
  });

  it("has what contains all words, and leaves empty groups out", () => {
    const files = ["src/line/wrap.ts", "src/line.ts"].map(fileNamed);
    expect(listed(" WRAP  line ", { files, actions, moves })).toEqual({
      Files: ["src/line/wrap.ts"],
      Actions: ["Toggle line wrap"],
    });
    expect(listed("nothing like it", { files, actions, moves })).toEqual({});
  });

  it("has files whose name matches before those of which only the folder does", () => {
    const files = ["diff/a.ts", "b/diff.ts"].map(fileNamed);
    expect(listed("diff", { files })).toEqual({ Files: ["b/diff.ts", "diff/a.ts"] });
  });

  it("begins with the file that has the name itself, however many names contain it", () => {
    const many = Array.from({ length: 40 }, (_, index) => `d/cart1${index}.ts`);
    const files = ["d/my-cart1.ts", ...many, "z/cart1.ts"].map(fileNamed);
    const found = listed("Cart1", { files })["Files"] ?? [];
    expect(found.slice(0, 2)).toEqual(["z/cart1.ts", "d/cart10.ts"]);
    expect(found).toHaveLength(30);
    expect(listed("cart1.ts", { files })["Files"]?.[0]).toBe("z/cart1.ts");
  });

  it("begins with the actions if one begins with the text", () => {
    const files = ["src/approve.ts"].map(fileNamed);
    expect(Object.keys(listed("app", { files, actions }))).toEqual(["Actions", "Files"]);
    expect(Object.keys(listed("wrap", { files: [fileNamed("wrap.ts")], actions }))).toEqual([
      "Files",
      "Actions",
    ]);
  });
});
