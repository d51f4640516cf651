const compiled = new Map<string, RegExp>();

/** Whether a name fits a pattern: `*` any characters, `?` exactly one; case matters. */
export function fits(pattern: string, name: string): boolean {
  if (pattern === "*" || pattern === name) return true;
  let expression = compiled.get(pattern);
  if (!expression) {
    const source = pattern
      .replace(/[\\^$.|+()[\]{}]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    expression = new RegExp(`^${source}$`, "su");
    if (compiled.size > 10_000) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.test(name);
}
