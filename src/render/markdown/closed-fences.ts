const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * Returns Markdown with any open code block closed, so that text appended to it does not become part of the block.
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
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
