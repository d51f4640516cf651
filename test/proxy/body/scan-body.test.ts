import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanBody, withModel } from "../../../src/proxy/body/scan-body.ts";

const scan = async (text: string) => scanBody(Buffer.from(text));

describe("scanning a request body", () => {
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
  ])("accepts %s", async (text, model, stream) => {
    const scanned = await scan(text);
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
  ])("rejects %s", async (text) => {
    expect(await scan(text)).toBeUndefined();
  });

  it("finds the same members as JSON.parse in any object", async () => {
    const member = fc.oneof(fc.constant("model"), fc.constant("stream"), fc.string({ unit: "binary" }));
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(member, value)),
        fc.constantFrom(undefined, 1, "\t"),
        async (entries, indent) => {
          const text = JSON.stringify(Object.fromEntries(entries), null, indent);
          const truth = JSON.parse(text) as Record<string, unknown>;
          const scanned = await scan(text);
          expect(scanned?.model).toBe(typeof truth["model"] === "string" ? truth["model"] : undefined);
          expect(scanned?.stream).toBe(truth["stream"] === true);
        },
      ),
    );
  });

  it("rejects a truncated body", () => {
    fc.assert(
      fc.property(fc.object(), fc.nat(), (value, at) => {
        const text = JSON.stringify({ model: "m", value });
        expect(scanBody(Buffer.from(text).subarray(0, at % Buffer.byteLength(text)))).toBeUndefined();
      }),
    );
  });

  it("replaces the model and leaves all other bytes unchanged", async () => {
    const text = '{ "z":1e400, "model" : "alias","n":9007199254740993,"model":"alias" }';
    const scanned = await scan(text);
    const renamed = withModel(Buffer.from(text), scanned?.modelRanges ?? [], 're"al');
    expect(renamed.toString()).toBe(text.replaceAll('"alias"', '"re\\"al"'));
  });

  it("counts the values that a parser would create", async () => {
    expect(await scan('{"a":[1,{"b":2}],"c":"[[,,"}')).toMatchObject({ values: 6, depth: 3 });
    expect(await scan("{}")).toMatchObject({ values: 2, depth: 1 });
    expect(await scan(`{"a":${"[".repeat(300)}${"]".repeat(300)}}`)).toMatchObject({ depth: 301 });
  });

  /** The number of bytes of a large body that are scanned at a time. */
  const slice = 512 * 1024;

  it("returns the same result for a large body, wherever its slices end", async () => {
    const text = String.raw` "model" : "a\\\"b" , "x":[{"stream":[ "\\" , -1.5e3 ]},"\\"],"n": 12 , "stream": true ,"m\u006fdel":"last"`;
    const small = await scan(`{${text}}`);
    expect(small).toMatchObject({ model: "last", stream: true });
    for (let at = 0; at <= text.length + 2; at += 1) {
      const pad = "x".repeat(slice - 7 - at);
      const body = Buffer.from(`{"p":"${pad}",${text},"q":"${"y".repeat(slice)}"}`);
      const scanned = await scanBody(body);
      expect(scanned).toMatchObject({ model: "last", stream: true, depth: small?.depth });
      expect(scanned?.values).toBe((small?.values ?? 0) + 2);
      expect(await scanBody(body.subarray(0, -1))).toBeUndefined();
    }
  });

  it.each(["", '"in":'])("counts backslashes across slices, in strings after %j", async (before) => {
    for (const count of [slice - 8, slice - 7, 2 * slice - 9, 2 * slice - 8, 3 * slice, 3 * slice + 1]) {
      const string = `"${"\\".repeat(count)}"`;
      const value = before === "" ? string : `{${before}${string}}`;
      const text = `{"p":${value},"model":"m"}`;
      // With an odd number of backslashes, the string continues, and so does the body.
      expect((await scanBody(Buffer.from(text)))?.model).toBe(count % 2 === 0 ? "m" : undefined);
    }
  });

  it("looks back over at most one slice of backslashes", async () => {
    const body = Buffer.from(`{"p":"${"\\".repeat(4 * slice)}","q":{"r":"${"\\".repeat(4 * slice)}"}}`);
    const backwards = [0];
    let last = 0;
    const watched = new Proxy(body, {
      get(target, name) {
        const at = Number(name);
        if (Number.isInteger(at)) backwards.push(at === last - 1 ? (backwards.pop() ?? 0) + 1 : 0);
        if (Number.isInteger(at)) last = at;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    expect(await scanBody(watched)).toMatchObject({ members: 2 });
    const longest = backwards.reduce((most, steps) => Math.max(most, steps));
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(slice);
  });

  it("yields to the event loop while it scans a large body", async () => {
    const pieces = ["{},", '"",', "[", '"\\"",', "1,", " "];
    for (const piece of pieces) {
      const body = Buffer.from(`{"m":[${piece.repeat((4 * 1024 * 1024) / piece.length)}`);
      let turns = 0;
      const scanned = scanBody(body);
      expect(scanned).toBeInstanceOf(Promise);
      const look = () => {
        turns += 1;
        timer = setImmediate(look);
      };
      let timer = setImmediate(look);
      await scanned;
      clearImmediate(timer);
      expect(turns).toBeGreaterThanOrEqual(7);
    }
  });
});
