import { shortened } from "../storage/file-names.ts";

/**
 * Returns a plan's title: its first heading with `#`, its first line of text if it has no such heading, or `Plan` if it
 * has neither. The title is plain text on one line, at most 120 characters long.
 */
export function planTitle(plan: string): string {
  let fence: string | undefined;
  let firstLine: string | undefined;
  const lines = plan.split(/\r\n?|\n/);
  for (const line of lines.slice(frontMatterLines(lines))) {
    const opening = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (opening?.startsWith(fence) && line.trim() === opening) fence = undefined;
      continue;
    }
    fence = opening;
    const heading = parseHeading(line);
    if (heading) return heading;
    if (!opening && !RULE_OR_COMMENT.test(line))
      firstLine ??= plain(line.replace(LIST_SIGN, "")) || undefined;
  }
  return firstLine ?? "Plan";
}

/** Lines that are never a title: a rule, the underline of a heading, a comment. */
const RULE_OR_COMMENT = /^\s*(?:([-*_=])(?:[ \t]*\1)+|<!--.*-->)\s*$/;
const LIST_SIGN = /^\s*(?:[-*+>]|\d{1,9}[.)])[ \t]+/;

/** Returns the number of front matter lines at the start of a plan, including the delimiters. */
function frontMatterLines(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---" || !/^[\w-]+\s*:/.test(lines[1] ?? "")) return 0;
  return 1 + lines.slice(0, 200).findIndex((line, index) => index > 1 && /^(---|\.\.\.)\s*$/.test(line));
}

/** Returns the text of a heading line without a closing sequence of `#`. */
function parseHeading(line: string): string {
  const text = /^ {0,3}#{1,6}[ \t](.*)$/.exec(line)?.[1]?.trim() ?? "";
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  const unclosed = text.slice(0, end);
  return plain(unclosed === "" || /[ \t]$/.test(unclosed) ? unclosed : text);
}

/** Returns a line without Markdown markup. Characters that are not markup stay, as in `user_id` and 2 * 3. */
function plain(text: string): string {
  const literal: string[] = [];
  // Code and backslash escapes are literal text; NUL marks their positions until they are put back.
  const keepLiteral = (_match: string, _ticks?: string, code?: string, sign?: string) => {
    literal.push(code ?? sign ?? "");
    return "\0";
  };
  const line = text
    .replace(/^#+/, "")
    .replace(/\s+/g, " ")
    .slice(0, MAX_READ)
    .replace(/\p{Cc}/gu, "")
    .replace(/(`+)(?!`)(.+?)(?<!`)\1(?!`)|\\([!-/:-@[-`{-~])/g, keepLiteral);
  const shown = withoutSigns(line).replace(/\0/g, () => literal.shift() ?? "");
  return shortened(shown, 120).trim();
}

/** Maximum characters of a line that are read, which bounds the time of all patterns. */
const MAX_READ = 1_000;

function withoutSigns(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\([^()\0]*\)/g, "$1")
    .replace(/(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=[^\s_])(.+?)(?<=[^\s_])\1(?![\p{L}\p{N}_])/gu, "$2");
}
