/**
 * Markers of a block that Sallyport adds to a file that is not JSON (TOML, .env). Removing the blocks restores the text
 * they were added to.
 */
const OPEN = "# >>> sallyport";
const OPEN_JOINED = "# >>> sallyport (on a line of its own)";
const CLOSE = "# <<< sallyport";

/** Adds a block at the end. If the last line has no line ending, one is added; removing the block removes it too. */
export function blockAtEnd(text: string, lines: readonly string[]): string {
  if (text === "" || text.endsWith("\n")) return text + block(OPEN, lines);
  return `${text}\n${block(OPEN_JOINED, lines)}`;
}

/** Adds a block at the start. */
export function blockAtStart(text: string, lines: readonly string[]): string {
  return block(OPEN, lines) + text;
}

/** Returns the text without the blocks. */
export function withoutBlocks(text: string): string {
  return text
    .replace(/\r?\n# >>> sallyport \(on a line of its own\)\r?\n[\s\S]*?# <<< sallyport\r?\n?/g, "")
    .replace(/# >>> sallyport\r?\n[\s\S]*?# <<< sallyport\r?\n?/g, "");
}

function block(open: string, lines: readonly string[]): string {
  return `${open}\n${lines.join("\n")}\n${CLOSE}\n`;
}
