import { describe, expect, it } from "vitest";
import { scanPatch } from "../../../../src/render/diff/patch/scan-patch.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";
import { MechanicalSearch } from "../../../../src/review/code/mechanical/find-mechanical.ts";

function fileNamed(path: string): DiffFile {
  const counts = { additions: 1, deletions: 1, patchSize: 1, fingerprint: "" };
  return { index: 0, path, status: "modified", binary: false, generated: false, ...counts };
}

/** The kinds of changes of files, given as the lines of one hunk each; undefined for a file that has to be read. */
function kindsOf(
  files: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[] | undefined> {
  const search = new MechanicalSearch();
  const found = Object.entries(files).map(([path, lines]) => {
    const count = (marker: string) => lines.filter((line) => !line.startsWith(marker)).length;
    const patch = scanPatch(`@@ -1,${count("+")} +1,${count("-")} @@\n${lines.join("\n")}\n`);
    return [path, search.add(fileNamed(path), patch, () => false)] as const;
  });
  return Object.fromEntries(
    found.map(([path, changes]) => [
      path,
      changes && search.isConfirmed(changes) ? [...changes.kinds] : undefined,
    ]),
  );
}

const kindOf = (path: string, ...lines: readonly string[]) => kindsOf({ [path]: lines })[path];

describe("formatting", () => {
  it("is recognized where lines were broken, indented or quoted differently", () => {
    expect(kindOf("a.ts", "-call(a, b);", "+call(", "+  a,", "+  b,", "+);")).toEqual(["formatting"]);
    expect(kindOf("a.ts", "-const a = 'x';", '+const a = "x";')).toEqual(["formatting"]);
    expect(kindOf("a.go", "-if x {", "-run()", "+if x {", "+\trun()")).toEqual(["formatting"]);
    expect(kindOf("a.go", " a", "+", " b")).toEqual(["formatting"]);
    expect(kindOf("a.tsx", "-const f = (a)=>{", "+const f = (a) => {")).toEqual(["formatting"]);
    expect(kindOf("a.unknown", "-a  ", "+a", "+")).toEqual(["formatting"]);
  });

  it.each([
    ["text in quotes", "a.ts", ['-f("a b");', '+f("ab");']],
    ["indentation that is part of the program", "a.py", ["-    run()", "+        run()"]],
    ["a statement that a line break ends", "a.js", ["-return value;", "+return", "+value;"]],
    ["words that were joined", "a.c", ["-in t;", "+int;"]],
    ["a comma that makes a tuple", "a.py", ["-x = (1)", "+x = (1,)"]],
    ["an operator", "a.ts", ["-if (a < b) {", "+if (a <= b) {"]],
    ["a space between selectors", "a.css", ["-.a .b {", "+.a.b {"]],
    ["a space between words of a shell command", "a.sh", ["-[ $a = b ]", "+[ $a =b ]"]],
    ["a space between operators", "a.c", ["-x = a - -b;", "+x = a --b;"]],
    ["a space in a macro", "a.h", ["-#define F (x)", "+#define F(x)"]],
    ["a line break that ends a statement", "a.kt", ["-val x = a - b", "+val x = a", "+- b"]],
    ["a space between tags", "a.tsx", ["-<b>a</b> <i>b</i>", "+<b>a</b><i>b</i>"]],
    ["a space in prose", "a.md", ["-a (b)", "+a(b)"]],
    ["text in a template across lines", "a.ts", [" const a = `", "-  one`;", "+    one`;"]],
  ])("does not hide a change of %s", (_what, path, lines) => {
    expect(kindOf(path, ...lines)).toBeUndefined();
  });
});

describe("imports", () => {
  it.each([
    ["a.ts", ['-import { a } from "./a.ts";', '+import { a, b } from "./b.ts";', " ", " run();"]],
    ["a.ts", [" import {", "-  one,", "+  two,", ' } from "x";']],
    ["a.tsx", ["+  more,", ' } from "x";', ' import type { A } from "y";']],
    ["a.py", ["-import os", "+from pathlib import Path", " x = 1"]],
    ["a.go", [" import (", '-\t"fmt"', '+\tlog "log/slog"', " )"]],
    ["a.rs", ["-use std::io;", "+use std::{fs, io};"]],
    ["A.java", ["-import java.util.List;", "+import java.util.*;"]],
    ["a.c", ["+#include <stdio.h>"]],
    ["a.cs", ["+using System.Text;"]],
    ["a.rb", ["+require 'json'"]],
  ])("are recognized in %s", (path, lines) => {
    expect(kindOf(path, ...lines)).toEqual(["imports"]);
  });

  it.each([
    ["a call", "a.ts", ["+import(name);"]],
    ["a value beside them", "a.ts", ['+import { a } from "a";', "+run(a);"]],
    ["members of an object", "a.ts", [" const x = {", "-  one,", "+  two,", " };"]],
    ["arguments of a call", "a.py", [" call(", "-  one,", "+  two,", " )"]],
  ])("are not mistaken for %s", (_what, path, lines) => {
    expect(kindOf(path, ...lines)).toBeUndefined();
  });
});

describe("renamed names", () => {
  it("are recognized in every file if the declaration was renamed", () => {
    expect(
      kindsOf({
        "a.ts": ["-export function sum(items) {", "+export function total(items) {"],
        "b.ts": [
          "-use(sum(all));",
          "+use(total(all));",
          " more();",
          "-sum(x) + sum(y);",
          "+total(x) + total(y);",
        ],
        "c.ts": ["-sum(one);", "+total(two);"],
      }),
    ).toEqual({ "a.ts": ["names"], "b.ts": ["names"], "c.ts": undefined });
  });

  it.each([
    ["a different function that is called", { "a.ts": ["-Math.min(a, b);", "+Math.max(a, b);"] }],
    ["a literal", { "a.ts": ["-const ok = true;", "+const ok = false;"] }],
    ["a name that became two", { "a.ts": ["-let a = 1;", "+let b = 1;", " x", "-a;", "+c;"] }],
    ["two names that became one", { "a.ts": ["-let a; let b;", "+let c; let c;"] }],
    ["a type keyword", { "a.ts": ["-let a: string;", "+let a: number;"] }],
    ["a name that remains", { "a.ts": ["-let a = a;", "+let b = a;"] }],
  ])("are not mistaken for %s", (_what, files) => {
    expect(kindsOf(files)).toEqual({ "a.ts": undefined });
  });
});
