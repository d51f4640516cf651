import { describe, expect, it } from "vitest";
import {
  linesOutsideStrings,
  spanningStringsOf,
} from "../../../../src/review/code/mechanical/lines-in-strings.ts";

/** The lines of a file that are certainly outside of strings, each as its number. */
function outside(path: string, ...lines: readonly (string | undefined)[]): readonly number[] | "all" {
  const strings = spanningStringsOf(path);
  return strings ? [...linesOutsideStrings(lines, strings)] : "all";
}

describe("lines outside of strings that span lines", () => {
  it.each([
    ["a template", "a.ts", ["a();", "x = `", "  b", "`;", "c();"]],
    [
      "a template with an expression",
      "a.tsx",
      ["a();", "x = html`<b>", `  \${list.join(", ")}`, "`;", "c();"],
    ],
    ["a text block", "A.java", ["a();", 'x = """', "  b", '""";', "c();"]],
    ["a docstring", "a.py", ["a()", "'''One", '  """', "'''", "c()"]],
    ["a string in Rust", "a.rs", ["fn a<'a>(x: &'a str) {", 'x("', "  b", '");', "c('\"');"]],
    ["a raw string in Go", "a.go", ["a()", "x := `", "  b", "`", "c()"]],
    ["a string with continued lines", "a.c", ["a();", 'x = "b \\', "  c \\", '  d";', "c();"]],
  ])("continue after %s", (_what, path, lines) => {
    expect(outside(path, ...lines)).toEqual(path === "a.c" ? [1, 2, 5] : [1, 5]);
  });

  it.each([
    ["a line comment", "a.ts", ["// don't use ` here", "b();"]],
    ["a comment after code", "a.ts", ["a(); // don't use ` here", "b();"]],
    ["a block comment", "a.ts", ["/**", " * Isn't `a", " */", "b();"]],
    ["strings in one line", "a.ts", [`a('\`', "\`", \`\${b}/c\`, \`it's\`);`, "b();"]],
    ["a comment in Python", "a.py", ["# Don't", "b()"]],
  ])("include all lines of a file with %s", (_what, path, lines) => {
    expect(outside(path, ...lines)).toEqual(lines.map((_line, index) => index + 1));
  });

  it.each([
    ["an unknown line", "a.ts", ["a();", undefined, "b();"]],
    ["a template in a template", "a.ts", ["a();", "x = `${y ? `", "b` : 1}`;"]],
    ["an expression of several lines", "a.ts", ["a();", "x = `${y({", "b })}`;"]],
    ["a backtick after a regular expression", "a.ts", ["a();", "x = /['`]/.test(`", "b`);"]],
    ["a backtick in the text of markup", "a.tsx", ["a();", "<p>a ` b</p>", "<p>c ` d</p>"]],
    ["a backtick beside apostrophes in markup", "a.tsx", ["a();", "<p>don't ` or can't {x(`", "b`)}</p>"]],
    ["a raw string in Rust", "a.rs", ["a();", 'x(r#"{ "', 'b"#);']],
    ["a verbatim string in C#", "a.cs", ["a();", 'x = @"', 'b";']],
    ["a heredoc", "a.rb", ["a", "x = <<~TEXT", "b"]],
    ["a long bracket", "a.lua", ["a()", "x = [[", "b ]]"]],
    ["a block scalar", "a.yaml", ["a: 1", "x: |", "  b"]],
    ["an unclosed quote", "a.sh", ["a", "x='", "b'"]],
    ["a very long line", "a.ts", ["a();", "x".repeat(3_000), "b();"]],
  ])("end at %s", (_what, path, lines) => {
    expect(outside(path, ...lines)).toEqual([1]);
  });

  it("are not searched in a language without such strings", () => {
    expect(outside("a.json", "{", undefined, "}")).toBe("all");
  });
});
