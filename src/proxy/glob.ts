/**
 * Returns whether a name matches a pattern, in which `*` matches any number of characters and `?` exactly one. Letter
 * case matters. Names come from clients, so only the last star backtracks, which limits the time to the product of both
 * lengths (ReDoS).
 */
export function matchesGlob(pattern: string, name: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  // `?` matches a whole code point. Without `?`, comparing UTF-16 code units gives the same result.
  return pattern.includes("?") ? isFitting(Array.from(pattern), Array.from(name)) : isFitting(pattern, name);
}

function isFitting(pattern: ArrayLike<string>, name: ArrayLike<string>): boolean {
  let inPattern = 0;
  let inName = 0;
  let star = -1;
  let starTook = 0;
  while (inName < name.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      star = inPattern;
      starTook = inName;
      inPattern += 1;
    } else if (wanted === "?" || wanted === name[inName]) {
      inPattern += 1;
      inName += 1;
    } else if (star >= 0) {
      inPattern = star + 1;
      starTook += 1;
      inName = starTook;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern += 1;
  return inPattern === pattern.length;
}
