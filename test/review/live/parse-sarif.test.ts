import { describe, expect, it } from "vitest";
import { parseSarif } from "../../../src/review/live/parse-sarif.ts";

const log = (results: readonly object[], rules: readonly object[] = []) =>
  JSON.stringify({ version: "2.1.0", runs: [{ tool: { driver: { name: "ESLint", rules } }, results }] });

describe("a SARIF file", () => {
  it("yields findings with path, lines, severity and rule", () => {
    const location = { artifactLocation: { uri: "src/a%20b.ts" }, region: { startLine: 2, endLine: 3 } };
    const result = {
      ruleId: "no-undef",
      level: "error",
      message: { text: "Undefined" },
      locations: [{ physicalLocation: location }],
    };
    expect(parseSarif(log([result]), "lint.sarif")).toEqual([
      {
        author: { kind: "tool", name: "ESLint" },
        body: {
          anchor: { kind: "lines", path: "src/a b.ts", side: "new", lineStart: 2, lineEnd: 3 },
          type: "finding",
          markdown: "Undefined\n\n`no-undef`",
          severity: "error",
        },
      },
    ]);
  });

  it.each([
    ["file:///repo/src/a.ts", "/repo/src/a.ts"],
    ["file://localhost/repo/src/a.ts", "/repo/src/a.ts"],
    ["file:///C:/repo/src/a.ts", "C:/repo/src/a.ts"],
    ["file:///c%3A/repo/src/a.ts", "c:/repo/src/a.ts"],
    ["./src/a.ts", "src/a.ts"],
  ])("names the path of %s", (uri, path) => {
    const locations = [{ physicalLocation: { artifactLocation: { uri } } }];
    const [finding] = parseSarif(log([{ message: { text: "Odd" }, locations }]), "x");
    expect(finding?.body.anchor).toEqual({ kind: "file", path });
  });

  it.each([
    ["APP", { path: "packages/app/src/a.ts", baseFolder: "/ci/repo/" }],
    ["%SRCROOT%", { path: "src/a.ts", baseFolder: "/ci/repo/" }],
    ["HOME", { path: "src/a.ts" }],
    ["LOOP", { path: "x/src/a.ts" }],
    ["constructor", { path: "src/a.ts" }],
  ])("resolves a path relative to the base %s", (uriBaseId, { path, ...base }) => {
    const originalUriBaseIds = {
      APP: { uri: "packages/app/", uriBaseId: "%SRCROOT%" },
      "%SRCROOT%": { uri: "file:///ci/repo/" },
      HOME: { description: { text: "unknown" } },
      LOOP: { uri: "x/", uriBaseId: "LOOP" },
    };
    const uri = "src/a.ts";
    const named = { locations: [{ physicalLocation: { artifactLocation: { uri, uriBaseId } } }] };
    const listed = { locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }] };
    const results = [named, listed].map((result) => ({ message: { text: "Odd" }, ...result }));
    const artifacts = [{ location: { uri, uriBaseId } }];
    const [run] = JSON.parse(log(results)).runs;
    const text = JSON.stringify({ version: "2.1.0", runs: [{ ...run, artifacts, originalUriBaseIds }] });
    const expected = { body: { anchor: { kind: "file", path } }, ...base };
    const findings = parseSarif(text, "x");
    expect(findings).toMatchObject([expected, expected]);
    expect(findings[0]).toEqual({ ...findings[1], ...base });
  });

  it("uses the rule's severity if a result has none, and warning without either", () => {
    const rules = [{ id: "max-len", defaultConfiguration: { level: "note" } }];
    const results = [{ ruleId: "max-len", message: { text: "Long" } }, { message: { text: "Odd" } }];
    expect(parseSarif(log(results, rules), "x").map(({ body }) => body.severity)).toEqual([
      "info",
      "warning",
    ]);
  });

  it("yields no finding for a result that is suppressed, no longer exists or reports no problem", () => {
    const message = { text: "Odd" };
    const none = [
      { message, suppressions: [{ kind: "inSource" }] },
      { message, suppressions: [{ kind: "external", status: "accepted" }] },
      { message, baselineState: "absent" },
      { message, kind: "pass", level: "none" },
      { message, kind: "notApplicable", level: "none" },
    ];
    expect(parseSarif(log(none), "x")).toEqual([]);
    const found = [
      { message, suppressions: [] },
      { message, suppressions: [{ kind: "external", status: "rejected" }] },
      { message, baselineState: "unchanged", kind: "fail" },
    ];
    expect(parseSarif(log(found), "x")).toHaveLength(3);
  });

  it("takes the text of a message from its rule, and the path from the list of artifacts", () => {
    const rules = [{ id: "BA2004", messageStrings: { weak: { text: "'{0}' uses {1}. {{0}}" } } }];
    const artifactLocation = { index: 1 };
    const result = {
      ruleId: "BA2004",
      message: { id: "weak", arguments: ["a.dll", "MD5"] },
      locations: [{ physicalLocation: { artifactLocation } }],
    };
    const artifacts = [{ location: { uri: "other.cs" } }, { location: { uri: "src/a.cs" } }];
    const run = { tool: { driver: { name: "BinSkim", rules } }, artifacts, results: [result] };
    const [finding] = parseSarif(JSON.stringify({ version: "2.1.0", runs: [run] }), "x");
    expect(finding?.body).toMatchObject({
      anchor: { kind: "file", path: "src/a.cs" },
      markdown: "'a.dll' uses MD5. {0}\n\n`BA2004`",
    });
  });

  it.each(["{", "[]", '{"version":"2.1.0"}', '{"version":"1.0","runs":[]}'])(
    "is refused if it is %s",
    (text) => {
      expect(() => parseSarif(text, "lint.sarif")).toThrow(/lint\.sarif is not SARIF/);
    },
  );
});
