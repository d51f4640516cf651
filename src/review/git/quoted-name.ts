const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * Undoes git's quoting of names (C style, octal for every byte that is not printable ASCII). A name without quotes
 * is itself. Bytes that are not UTF-8 become U+FFFD.
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
