import { describe, expect, it } from "vitest";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import type { DiffReferences, DiffSymbols } from "../../../../src/review/api-types.ts";
import { changedSymbols } from "../../../../src/review/code/symbols/diff-symbols.ts";
import { codeServer } from "../../../support/code-server.ts";
import { symbolFiles } from "../../../support/symbol-files.ts";
import { testRepository } from "../../../support/test-repository.ts";

const symbol = (name: string, line: number, lineEnd: number, kind: "function" | "variable" = "function") => ({
  name,
  kind,
  container: [],
  line,
  lineEnd,
});

describe("the changed symbols", () => {
  const changed = (patch: string, ...symbols: readonly ReturnType<typeof symbol>[]) =>
    changedSymbols(symbols, scanPatch(patch)).map(
      ({ name, changedLine, isNew }) => `${name} ${changedLine}${isNew ? " new" : ""}`,
    );

  it("are the innermost ones around a changed line", () => {
    const patch = "@@ -3,3 +3,3 @@\n a\n-b\n+c\n d\n";
    expect(changed(patch, symbol("outer", 1, 20), symbol("inner", 3, 6), symbol("other", 8, 9))).toEqual([
      "inner 4",
    ]);
    expect(changed(patch, symbol("outer", 1, 20), symbol("LIMIT", 4, 4, "variable"))).toEqual(["outer 4"]);
  });

  it("include one from which lines were only removed, at the line that follows", () => {
    expect(changed("@@ -3,3 +3,2 @@\n a\n-b\n c\n", symbol("f", 1, 9))).toEqual(["f 4"]);
  });

  it("are new if all their lines were added", () => {
    const patch = "@@ -1,1 +1,4 @@\n a\n+f {\n+}\n+g\n";
    expect(changed(patch, symbol("f", 2, 3), symbol("g", 4, 6))).toEqual(["f 2 new", "g 4"]);
  });
});

describe("GET /api/diff/symbols and /api/diff/references", () => {
  it("respond for the changed files of the diff", async () => {
    const repository = await testRepository({
      "a.ts": "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return one();\n}\n",
      "b.py": "def three():\n    pass\n",
      "same.ts": "one();\n",
    });
    await repository.write({
      "a.ts": "export function one() {\n  return 2;\n}\n\nexport function two() {\n  return one();\n}\n",
      "b.py": "def three():\n    pass\n\n\ndef four():\n    three()\n",
      "c.txt": "one\n",
    });
    const server = await codeServer(repository, { symbolFiles });
    const { files, diffId }: DiffSymbols = (await server.get("/api/diff/symbols")).json();
    expect(
      files.map(({ path, symbols }) => [path, ...symbols.map(({ name, isNew }) => [name, isNew])]),
    ).toEqual([
      ["a.ts", ["one", false]],
      ["b.py", ["four", true]],
    ]);
    const found: DiffReferences = (await server.get(`/api/diff/references?name=one&id=${diffId}`)).json();
    expect(found.references.map(({ path, line, declares }) => [path, line, declares])).toEqual([
      ["a.ts", 1, "function"],
      ["a.ts", 6, undefined],
    ]);
    expect((await server.get("/api/diff/references?name=one&id=other")).statusCode).toBe(409);
    expect((await server.get("/api/diff/references")).statusCode).toBe(400);
  });

  it("respond again after the thread has ended", async () => {
    const repository = await testRepository({ "a.ts": "function one() {}\n" });
    await repository.write({ "a.ts": "function two() {}\n" });
    let script: string | undefined = "process.exit(1)";
    const server = await codeServer(repository, {
      symbolFiles: async () => ({ ...(await symbolFiles()), ...(script === undefined ? {} : { script }) }),
    });
    expect((await server.get("/api/diff/symbols")).statusCode).toBe(500);
    script = undefined;
    // The file on which the thread ended is left out.
    expect((await server.get("/api/diff/symbols")).json().files).toEqual([]);
    await repository.write({ "a.ts": "function three() {}\n" });
    await server.post("/api/diff/switch", { diffType: "uncommitted", patch: false });
    expect((await server.get("/api/diff/symbols")).json().files).toHaveLength(1);
  });
});
