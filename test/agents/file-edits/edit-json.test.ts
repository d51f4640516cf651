import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  appendElement,
  readJson,
  removeValue,
  replaceValue,
  setMember,
} from "../../../src/agents/file-edits/edit-json.ts";

const hook = { matcher: "ExitPlanMode", hooks: [{ type: "command", command: "x" }] };

describe("editing JSON with comments", () => {
  it.each([
    ["an empty text", ""],
    ["an empty object", "{}"],
    ["an empty object over lines", "{\n}\n"],
    ["a comment alone", "{\n  // mine\n}\n"],
    ["a comment on one line", "{ /* mine */ }"],
    ["one line", '{"a":1, "b" : [1,2]}'],
    ["two spaces", '{\n  "a": 1\n}\n'],
    ["tabs", '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
    ["CRLF", '{\r\n    "a": 1\r\n}\r\n'],
    ["a byte-order mark", '\ufeff{\n  "a": 1\n}\n'],
    ["a trailing comma", '{\n  "a": 1,\n}\n'],
    ["a trailing comma on one line", '{"a": 1,}'],
    ["a comment behind the last member", '{\n  "a": 1 // one, and only\n}\n'],
    ["a comment behind a trailing comma", '{\n  "a": 1, /* , */ // one\n  // end\n}\n'],
    ["a member that closes on its line", '{\n  "a": 1 }'],
    [
      "other hooks",
      '{\n  "hooks": {\n    "PermissionRequest": [\n      { "matcher": "Bash", "hooks": [] }\n    ]\n  }\n}\n',
    ],
    ["odd hooks", '{"hooks":{"PermissionRequest":[\n{"matcher":"Bash"}, ],"Stop":[]} ,\n\n"a":[]}'],
    ["an empty array of hooks", '{ "hooks": { "PermissionRequest": [ ] } }'],
  ])("appends a hook to %s and takes it away again", (_name, text) => {
    const path = ["hooks", "PermissionRequest"];
    const before = text.trim() === "" ? {} : readJson(text);
    const added = appendElement(text, path, hook);
    const hooks: unknown = readJson(added);
    expect(hooks).toMatchObject({ hooks: { PermissionRequest: expect.arrayContaining([hook]) } });
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment);
    expect(added.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
    if (text.includes("\r\n")) expect(added.replaceAll("\r\n", "")).not.toContain("\n");
    const count = JSON.stringify(before).includes("Bash") ? 1 : 0;
    const removed = removeValue(added, [...path, count]);
    expect(JSON.stringify(readJson(removed))).toBe(
      JSON.stringify(before).replace('{"hooks":{"PermissionRequest":[]}}', "{}"),
    );
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(removed).toContain(comment);
  });

  it("leaves every other character alone", () => {
    const text = '{\n   "a" : [ 1,2 ], // odd\n\n  "z":{}\n}\n';
    const added = setMember(text, ["env", "URL"], "http://localhost");
    expect(added).toBe(
      '{\n   "a" : [ 1,2 ], // odd\n\n  "z":{},\n   "env": {\n      "URL": "http://localhost"\n   }\n}\n',
    );
    expect(removeValue(added, ["env", "URL"])).toBe(text);
  });

  it("changes nothing when the value is there", () => {
    const text = '{"env":{"URL":"x"}}';
    expect(setMember(text, ["env", "URL"], "x")).toBe(text);
    expect(removeValue(text, ["env", "OTHER"])).toBe(text);
  });

  it("replaces a value at its position", () => {
    expect(replaceValue('{"a": [1, /* two */ 2]}', ["a", 1], "b")).toBe('{"a": [1, /* two */ "b"]}');
  });

  it.each([
    ['{"a": }', /line 1, column 7/],
    ['{\n"a": 1\n"b": 2}', /line 3, column 1/],
    ["[1, 2]", /is not an object/],
    ['{"hooks": []}', /"hooks" is not an object/],
    ['{"hooks": {"PermissionRequest": {}}}', /"hooks.PermissionRequest" is not an array/],
  ])("refuses %s", (text, message) => {
    expect(() => appendElement(text, ["hooks", "PermissionRequest"], hook)).toThrow(message);
  });

  it("brings back any object it added a member to, however it is written", () => {
    const anyJson = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__"));
    const layout = fc.record({
      value: fc.dictionary(
        fc.string().filter((name) => name !== "ours" && name !== "__proto__"),
        anyJson,
      ),
      indent: fc.constantFrom(undefined, 1, 2, 4, "\t"),
      crlf: fc.boolean(),
    });
    fc.assert(
      fc.property(layout, anyJson, ({ value, indent, crlf }, ours) => {
        const plain = `${JSON.stringify(value, null, indent)}\n`;
        const text = crlf ? plain.replaceAll("\n", "\r\n") : plain;
        const added = setMember(text, ["ours"], JSON.parse(JSON.stringify(ours)));
        expect(JSON.stringify(readJson(added))).toBe(JSON.stringify({ ...value, ours }));
        expect(removeValue(added, ["ours"])).toBe(text);
      }),
    );
  });
});
