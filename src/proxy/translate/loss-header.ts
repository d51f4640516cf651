/** Characters of the header; Node.js clients refuse responses whose headers are longer than 16 kB together. */
const MAX_LENGTH = 4_096;

/**
 * Returns `x-sallyport-losses` for these codes, or nothing where there are none. Codes hold names that clients chose: what a
 * header cannot hold is percent-encoded. Codes that do not fit are counted as `and-N-more`.
 */
export function createLossHeader(codes: readonly string[]): Readonly<Record<string, string>> {
  if (codes.length === 0) return {};
  let value = "";
  for (const [index, code] of codes.entries()) {
    const next = `${index === 0 ? "" : ","}${encodeCode(code)}`;
    if (value.length + next.length > MAX_LENGTH) {
      const more = `and-${codes.length - index}-more`;
      return { "x-sallyport-losses": value === "" ? more : `${value},${more}` };
    }
    value += next;
  }
  return { "x-sallyport-losses": value };
}

function encodeCode(code: string): string {
  // Through bytes, which hold no lone surrogates.
  return Buffer.from(code)
    .toString()
    .replace(/[^!-+\--~]/gu, encodeURIComponent);
}
