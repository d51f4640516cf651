import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GRAMMARS as BUILT } from "../../../../scripts/symbols-worker.mjs";
import { GRAMMARS, grammarOf } from "../../../../src/review/code/symbols/languages.ts";
import { type SymbolParser, startSymbolParser } from "../../../../src/review/code/symbols/symbols-client.ts";
import { symbolFiles } from "../../../support/symbol-files.ts";

let parser: SymbolParser;
beforeAll(async () => {
  parser = await startSymbolParser(await symbolFiles());
});
afterAll(() => parser.close());

let diff = 0;
/** The symbols of a file as `kind name:first-last`, with the names around them. */
async function symbolsIn(path: string, text: string): Promise<readonly string[] | undefined> {
  const symbols = await parser.add(diff++, path, text);
  return symbols?.map(
    ({ name, kind, container, line, lineEnd }) =>
      `${kind} ${[...container, name].join(".")}:${line === lineEnd ? line : `${line}-${lineEnd}`}`,
  );
}

describe("the symbols of a file", () => {
  it.each([
    [
      "a.ts",
      "export async function a<T>(x: T) {\n  const local = 1;\n  return x;\n}\nexport class C {\n  m(): void {}\n}\ninterface I { f(): void }\ntype T1 = string;\nenum E { A }\nconst f = (x) => x, LIMIT = 3;",
      [
        "function a:1-4",
        "type C:5-7",
        "method C.m:6",
        "type I:8",
        "method I.f:8",
        "type T1:9",
        "type E:10",
        "function f:11",
        "variable LIMIT:11",
      ],
    ],
    ["a.tsx", "export const App = () => <Foo bar={1}>hi</Foo>;", ["function App:1"]],
    ["a.mjs", "function* gen() {}\nclass X { #p() {} }", ["function gen:1", "type X:2", "method X.#p:2"]],
    ["a.py", "class A(B):\n    def m(self):\n        pass\n", ["type A:1-3", "function A.m:2-3"]],
    [
      "a.go",
      "package p\nconst K = 1\ntype S struct { F int }\nfunc (s *S) Do() {}\nfunc Main() { s.Do(K) }\n",
      ["variable K:2", "type S:3", "method Do:4", "function Main:5"],
    ],
    [
      "A.java",
      "class A {\n  A() {}\n  void m(int x) {}\n  enum E { Q }\n}",
      ["type A:1-5", "method A.A:2", "method A.m:3", "type A.E:4"],
    ],
    [
      "a.rs",
      "struct S { a: i32 }\ntrait T { fn q(&self); }\nimpl T for S {\n  fn q(&self) {}\n}\nmacro_rules! mm { () => {} }",
      ["type S:1", "type T:2", "function T.q:2", "module S:3-5", "function S.q:4", "function mm:6"],
    ],
    [
      "a.rb",
      "module M\n  class A\n    def foo(x)\n    end\n    def self.s; end\n  end\nend\n",
      ["module M:1-7", "type M.A:2-6", "method M.A.foo:3-4", "method M.A.s:5"],
    ],
    [
      "a.php",
      "<?php\nclass B { public function m($x) {} }\ntrait T {}\nfunction f() {}",
      ["type B:2", "method B.m:2", "type T:3", "function f:4"],
    ],
    [
      "a.cpp",
      "namespace n { class A { void m(); }; }\nvoid n::A::m() {}\nstatic int *g(int x) { return 0; }\nstruct S use(struct S s);",
      ["module n:1", "type n.A:1", "function m:2", "function g:3"],
    ],
    ["a.c", "struct point { int x; };\nint main(void) { return 0; }", ["type point:1", "function main:2"]],
    [
      "a.cs",
      "namespace N { class A { public int P { get; set; } void M() {} } }",
      ["module N:1", "type N.A:1", "method N.A.P:1", "method N.A.M:1"],
    ],
    ["a.sh", "foo() { bar; }\nfunction baz { foo x; }", ["function foo:1", "function baz:2"]],
  ])("are found in %s", async (path, text, expected) => {
    expect(await symbolsIn(path, text)).toEqual(expected);
  });

  it("are absent for other languages, and none for a text that does not parse", async () => {
    expect(await symbolsIn("a.txt", "function a() {}")).toBeUndefined();
    expect(await symbolsIn("constructor", "x")).toBeUndefined();
    expect(await symbolsIn("a.ts", "}}}} \u0000 ((((")).toEqual([]);
    expect(grammarOf("Dir.ts/readme")).toBeUndefined();
  });

  it("have grammars for as many languages as are built", () => {
    expect(BUILT).toEqual([...GRAMMARS]);
    expect(GRAMMARS).toHaveLength(12);
  });
});

describe("the references of a name", () => {
  it("are where it is code, in all files of the diff, declarations first", async () => {
    const number = diff++;
    await parser.add(number, "use.ts", "// total is here\nconst x = total(1) + 'total';\n");
    await parser.add(
      number,
      "define.ts",
      "let a;\nexport function total(n: number) {\n  return total(n);\n}\n",
    );
    const { references, more } = await parser.find(number, "total");
    expect(more).toBe(0);
    expect(references).toEqual([
      {
        path: "define.ts",
        line: 2,
        column: 16,
        text: "export function total(n: number) {",
        declares: "function",
      },
      { path: "use.ts", line: 2, column: 10, text: "const x = total(1) + 'total';" },
      { path: "define.ts", line: 3, column: 9, text: "return total(n);" },
    ]);
    expect((await parser.find(number, "constructor")).references).toEqual([]);
    expect((await parser.find(number + 1, "total")).references).toEqual([]);
  });

  it("are at most 500, with the number of the others", async () => {
    const number = diff++;
    await parser.add(number, "a.js", "use(1);\n".repeat(600));
    const { references, more } = await parser.find(number, "use");
    expect([references.length, more]).toEqual([500, 100]);
  });
});
