/**
 * Whether a name fits a pattern: `*` any characters, `?` exactly one; case matters. Names come from clients: of several
 * stars only the last is tried again at other places, so that no name takes longer than its length times the pattern's.
 */
export function fits(pattern: string, name: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  // A character is a code point, which only `?` can tell from the units that strings are made of.
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
