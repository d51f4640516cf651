/** Splits a list whose items each end with NUL, as git prints and reads paths with `-z`. */
export function splitAtNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < list.length; ) {
    const end = list.indexOf(0, start);
    if (end === -1) break;
    parts.push(list.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

/** Joins items into a list in which each ends with NUL. */
export function joinWithNul(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.of(0)]));
}
