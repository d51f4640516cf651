import { expect, it } from "vitest";
import { nextTurn } from "../../../../src/json/bounds.ts";
import { DecodingTurns } from "../../../../src/proxy/translate/response/decoding-turns.ts";

const CHUNK = 64 * 1024;

it("DecodingTurns permits a chunk to be decoded immediately while few chunks arrive", async () => {
  const turns = new DecodingTurns();
  for (let turn = 0; turn < 5; turn += 1) {
    expect(turns.take(CHUNK)).toBeUndefined();
    await nextTurn();
  }
});

it("DecodingTurns distributes the chunks of many streams over several turns, in the order of arrival", async () => {
  const turns = new DecodingTurns();
  const decoded: number[] = [];
  const streams = Array.from({ length: 100 }, async (_, index) => {
    await turns.take(CHUNK);
    decoded.push(index);
  });
  let last = 0;
  const perTurn: number[] = [];
  while (decoded.length < streams.length) {
    await nextTurn();
    perTurn.push(decoded.length - last);
    last = decoded.length;
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(8);
  expect(decoded).toEqual(decoded.map((_, index) => index));
});
