import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanBody, withModel } from "../../../src/proxy/body/scan-body.ts";

const scan = (text: string) => scanBody(Buffer.from(text));

describe("scanning a body", () => {
  it.each([
    ['{"model":"m","stream":true}', "m", true],
    ['{"stream":false,"model":"m"}', "m", false],
    [' \n{ "messages" : [ {"model":"inner","stream":true} ] , "model" : "outer" }\n', "outer", false],
    ['{"a":"\\"model\\":\\"x\\"","model":"d\\u00e9j\\u00e0"}', "déjà", false],
    ['{"m\\u006fdel":"escaped key"}', "escaped key", false],
    ['{"model":"first","model":"last"}', "last", false],
    ['\ufeff{"model":"after a byte order mark"}', "after a byte order mark", false],
    ['{"model":7}', undefined, false],
    ["{}", undefined, false],
  ])("reads %s", (text, model, stream) => {
    const scanned = scan(text);
    expect(scanned?.model).toBe(model);
    expect(scanned?.stream).toBe(stream);
  });

  it.each([
    "",
    "null",
    "[]",
    '"model"',
    '{"model":',
    '{"model":"x"',
    '{"model":"x",}',
    '{"model" "x"}',
    '{"messages":[{"a":1]',
    '{"messages":[oops]}',
    '{"model":"x"} trailing',
    "{'model':'x'}",
    '{"model":"bad \\x escape"}',
  ])("refuses %s", (text) => {
    expect(scan(text)).toBeUndefined();
  });

  it("sees what JSON.parse sees, in any object", () => {
    const member = fc.oneof(fc.constant("model"), fc.constant("stream"), fc.string({ unit: "binary" }));
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(fc.tuple(member, value)),
        fc.constantFrom(undefined, 1, "\t"),
        (entries, indent) => {
          const text = JSON.stringify(Object.fromEntries(entries), null, indent);
          const truth = JSON.parse(text) as Record<string, unknown>;
          const scanned = scan(text);
          expect(scanned?.model).toBe(typeof truth["model"] === "string" ? truth["model"] : undefined);
          expect(scanned?.stream).toBe(truth["stream"] === true);
        },
      ),
    );
  });

  it("never takes a cut-off body for a whole one", () => {
    fc.assert(
      fc.property(fc.object(), fc.nat(), (value, at) => {
        const text = JSON.stringify({ model: "m", value });
        expect(scanBody(Buffer.from(text).subarray(0, at % Buffer.byteLength(text)))).toBeUndefined();
      }),
    );
  });

  it("renames the model and leaves every other byte", () => {
    const text = '{ "z":1e400, "model" : "alias","n":9007199254740993,"model":"alias" }';
    const scanned = scan(text);
    const renamed = withModel(Buffer.from(text), scanned?.modelRanges ?? [], 're"al');
    expect(renamed.toString()).toBe(text.replaceAll('"alias"', '"re\\"al"'));
  });
});
