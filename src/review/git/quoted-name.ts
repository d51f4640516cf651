const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
const LETTERS = new Map(Object.entries(ESCAPES).map(([letter, byte]) => [byte, letter]));
const QUOTE = 0x22;
const REVERSE_SLASH = 0x5c;

/**
 * Decodes a name that git has quoted: in C style, with octal numbers for bytes that are not printable ASCII and have
 * no letter. Returns a name without quotes unchanged. Bytes that are not UTF-8 become U+FFFD.
 */
export function unquoteName(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  for (const [token] of name.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (!token.startsWith("\\")) bytes.push(...Buffer.from(token));
    else if (token.length === 4) bytes.push(Number.parseInt(token.slice(1), 8));
    else bytes.push(ESCAPES[token.charAt(1)] ?? token.charCodeAt(1));
  }
  return Buffer.from(bytes).toString();
}

/**
 * Quotes a name, given as bytes, as git does with core.quotePath. Returns a name that needs no quotes
 * unchanged.
 */
export function quoteName(name: Uint8Array): string {
  let isPlain = true;
  let quoted = "";
  for (const byte of name) {
    const letter = byte === QUOTE || byte === REVERSE_SLASH ? String.fromCharCode(byte) : LETTERS.get(byte);
    const isPrintable = byte >= 0x20 && byte < 0x7f;
    if (letter !== undefined || !isPrintable) isPlain = false;
    if (letter !== undefined) quoted += `\\${letter}`;
    else quoted += isPrintable ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return isPlain ? quoted : `"${quoted}"`;
}
