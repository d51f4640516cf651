import type { SourceLines } from "./source-lines.ts";

/** Finds YAML front matter. `body` is the source with those lines blank, so that line numbers stay. */
export function takeFrontMatter(
  source: string,
  lines: SourceLines,
): { readonly frontMatterLines: number; readonly body: string } {
  const none = { frontMatterLines: 0, body: source };
  if (lines.text(0).trimEnd() !== "---" || !/^[\w-]+\s*:/.test(lines.text(1))) return none;
  for (let line = 2; line < Math.min(lines.count, 200); line += 1) {
    if (/^(---|\.\.\.)\s*$/.test(lines.text(line))) {
      const rest = source.slice(lines.end(line));
      return { frontMatterLines: line + 1, body: "\n".repeat(line) + rest };
    }
  }
  return none;
}
