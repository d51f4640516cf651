/** Below the range from which systems hand out ports of their own. */
const FIRST = 20_000;
const COUNT = 12_000;

/** The port a folder's reviews ask for first, so that the URL stays the same from round to round. Pure. */
export function preferredPort(folder: string): number {
  return FIRST + (fnv1a(folder) % COUNT);
}

/** 32 bits, spread well enough for ports; Node's hashes take 3 ms to load. http://www.isthe.com/chongo/tech/comp/fnv/ */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
