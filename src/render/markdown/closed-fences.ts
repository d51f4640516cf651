const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * A person's Markdown with an end to the code block that it may leave open: whatever is written beneath would become
 * part of it. https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function withClosedFence(text: string): string {
  let open: string | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (fence.startsWith(open) && rest.trim() === "") open = undefined;
  }
  return open === undefined ? text : `${text}${text.endsWith("\n") ? "" : "\n"}${open}`;
}
