import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJson, RawJson, stringifyJson } from "../../../src/proxy/exchange/json.ts";
import { parseLargeJson, stringifyLargeJson } from "../../../src/proxy/translate/large-json.ts";

const LONG = 300 * 1024;
const parse = (text: string, fatal = true) => parseLargeJson(Buffer.from(text), { fatal });

/** Parts of a JSON string whose bytes and characters must not be split. */
const PIECES = ["x", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "\\n", "é", "語", "😀", "\\/", "\ufeff"];

it("parseLargeJson parses long strings of every kind of character like JSON.parse", async () => {
  for (const piece of PIECES)
    for (const before of ["", "y", "yyy"]) {
      const text = `{"a":["${before}${piece.repeat(Math.ceil(1_300_000 / piece.length))}"],"b":1}`;
      const value = (await parse(text)) as { a: string[] };
      expect(value.a[0] === JSON.parse(text).a[0], `${before}${piece}`).toBe(true);
    }
}, 60_000);

it("parseLargeJson and stringifyLargeJson convert mixtures of pieces like JSON.parse and stringify", async () => {
  const seeds = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(fc.array(seeds, { minLength: 1, maxLength: 3 }), fc.string(), async (all, short) => {
      const texts = all.map((pieces) =>
        pieces.join("").repeat(Math.ceil((2 * LONG) / pieces.join("").length)),
      );
      const text = `{"list":["${texts.join('","')}"],"short":${JSON.stringify(short)}}`;
      const expected = JSON.parse(text);
      const value = await parse(text);
      expect(JSON.stringify(value) === JSON.stringify(expected)).toBe(true);
      const written = await stringifyLargeJson(value);
      expect(written.toString() === JSON.stringify(expected)).toBe(true);
    }),
    { numRuns: 30 },
  );
}, 60_000);

it("parseLargeJson parses long member names, and keeps members named __proto__ visible", async () => {
  const name = "n".repeat(LONG);
  const value = (await parse(`{"${name}":"${name}","__proto__":"${name}"}`)) as object;
  expect(Object.entries(value).map(([key, member]) => [key.length, String(member).length])).toEqual([
    ["__proto__".length, LONG],
    [LONG, LONG],
  ]);
});

it("parseLargeJson throws for invalid JSON and UTF-8 inside and outside a long string", async () => {
  const long = "x".repeat(LONG);
  for (const text of [
    `{"a":"${long}`,
    `{"a":"${long}\n"}`,
    `{"a":"${long}\\q"}`,
    `{"a":"${long}"`,
    `"${long}\\u00e"`,
  ])
    await expect(parse(text), text.slice(-10)).rejects.toThrow(SyntaxError);
  const bytes = Buffer.concat([Buffer.from(`["${long}`), Buffer.from([0xff]), Buffer.from('"]')]);
  await expect(parseLargeJson(bytes, { fatal: true })).rejects.toThrow(TypeError);
  expect(await parseLargeJson(bytes, { fatal: false })).toEqual([`${long}\ufffd`]);
});

it("parseLargeJson and stringifyLargeJson keep integers beyond 2^53 and raw JSON beside long strings", async () => {
  const text = `{"n":12345678901234567890,"text":"${"x".repeat(LONG)}"}`;
  const value = await parse(text);
  expect(value).toEqual(parseJson(text));
  const raw = { value, raw: new RawJson('{"b":1}') };
  expect((await stringifyLargeJson(raw)).toString()).toBe(stringifyJson(raw));
});
