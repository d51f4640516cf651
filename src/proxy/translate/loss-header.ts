/** Maximum characters of the codes in the header. Node.js clients reject responses with more than 16 KiB of headers. */
const MAX_LENGTH = 4_096;

/**
 * Returns the header `x-sallyport-losses` for these codes; no header if there are no codes. Codes can contain names
 * that clients chose, so commas and characters that a header cannot contain are percent-encoded. Codes that do not fit
 * are counted as `and-N-more`.
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
  // `encodeURIComponent` throws for lone surrogates; the conversion to bytes replaces them.
  return Buffer.from(code)
    .toString()
    .replace(/[^!-+\--~]/gu, encodeURIComponent);
}
