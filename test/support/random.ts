/** Numbers from 0 to 1 that are the same for the same seed (mulberry32), so that a failure can be reproduced. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The seed of this run: always the same unless `SEED` is set, as by `scripts/test-more.mjs`. Include it in the test's
 * name.
 */
export const SEED = Number(process.env["SEED"] ?? 20_261_121);
