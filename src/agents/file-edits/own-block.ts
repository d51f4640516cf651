/**
 * Text of ours between two marked lines in a file that is not JSON (TOML, .env). Taking the blocks away gives back
 * exactly the text they were put into.
 */
const OPEN = "# >>> sallyport";
const OPEN_JOINED = "# >>> sallyport (on a line of its own)";
const CLOSE = "# <<< sallyport";

/** Puts a block at the end. Where the last line has no end, it gets one that goes again with the block. */
export function blockAtEnd(text: string, lines: readonly string[]): string {
  if (text === "" || text.endsWith("\n")) return text + block(OPEN, lines);
  return `${text}\n${block(OPEN_JOINED, lines)}`;
}

/** Puts a block before everything else. */
export function blockAtStart(text: string, lines: readonly string[]): string {
  return block(OPEN, lines) + text;
}

/** The text as it was before any block was put in. */
export function withoutBlocks(text: string): string {
  return text
    .replace(/\r?\n# >>> sallyport \(on a line of its own\)\r?\n[\s\S]*?# <<< sallyport\r?\n?/g, "")
    .replace(/# >>> sallyport\r?\n[\s\S]*?# <<< sallyport\r?\n?/g, "");
}

function block(open: string, lines: readonly string[]): string {
  return `${open}\n${lines.join("\n")}\n${CLOSE}\n`;
}
