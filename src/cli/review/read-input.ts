import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { AppError } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";

/**
 * Maximum bytes of a plan on stdin, more than a person can review. The limit keeps an endless pipe from filling the
 * memory.
 */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * Returns the text of a file, or of stdin if `file` is undefined or `-`. Throws `input` if the file cannot be read, the
 * input is not text, or stdin exceeds 64 MiB. Throws `usage` if stdin is a terminal.
 */
export function readInput(
  file: string | undefined,
  signal: AbortSignal,
  note: Note = () => {},
): Promise<string> {
  return file === undefined || file === "-" ? readStdin(signal, note) : readPlanFile(file, note);
}

async function readPlanFile(file: string, note: Note): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError("input", `Cannot read ${file}: ${getReadReason(cause)}`, {
      cause,
      hint: "Name a Markdown file, or pipe the plan to stdin.",
    });
  });
  return decodeInput(bytes, file, note);
}

async function readStdin(signal: AbortSignal, note: Note): Promise<string> {
  if (process.stdin.isTTY) {
    throw new AppError("usage", "No plan: name a file, or pipe one to stdin", {
      hint: "For example: sallyport review plan plan.md",
    });
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_INPUT_BYTES) throw new AppError("input", "The plan on stdin is larger than 64 MiB");
  }
  return decodeInput(Buffer.concat(chunks), "the plan on stdin", note);
}

/** Returns the text of a plan's file. Throws `input` for binary data. */
export function decodeText(bytes: Buffer, name: string): string {
  return decodeInput(bytes, name, () => {});
}

/** Reports input that was converted, or that is not valid UTF-8. */
type Note = (text: string) => void;

/** Decodes UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. Throws `input` for binary data. */
function decodeInput(bytes: Buffer, name: string, note: Note): string {
  const utf16 = detectUtf16(bytes);
  const text = utf16 === undefined ? bytes.toString("utf8") : new TextDecoder(utf16).decode(bytes);
  const problem = utf16 === undefined ? problemOfUtf8(text) : problemOfUtf16(text);
  if (problem !== undefined) {
    throw new AppError("input", `Cannot review ${name}: ${problem}`, {
      hint: "Pass the plan as UTF-8 text.",
    });
  }
  if (utf16 !== undefined) note(`Converted ${name} from UTF-16 to UTF-8.`);
  const broken = utf16 === undefined && !bytes.includes(REPLACEMENT) ? count(text, "\ufffd") : 0;
  const characters = broken === 1 ? "1 character is" : `${broken} characters are`;
  if (broken > 0) note(`${name} is not valid UTF-8: ${characters} shown as \ufffd.`);
  return text;
}

const REPLACEMENT = Buffer.from("\ufffd");

function detectUtf16(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

/**
 * Returns why bytes decoded as UTF-8 are not text. Every other byte of UTF-16 text in a Western script is 0; binary
 * data has many control or invalid characters.
 */
function problemOfUtf8(text: string): string | undefined {
  const zeros = count(text, "\0");
  if (zeros >= 2 && zeros > text.length / 4) return "it is UTF-16 without a byte order mark, or binary";
  const odd = text.match(/[\0-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  return odd >= 4 && odd > text.length / 50 ? "it is binary, not text" : undefined;
}

/**
 * Returns why bytes decoded as UTF-16 are not text. Text contains a tab, a space or another printable ASCII character,
 * and no NUL; bytes that begin like UTF-16 by chance rarely do.
 */
function problemOfUtf16(text: string): string | undefined {
  return /[\t -~]/.test(text) && !text.includes("\0") ? undefined : "it is binary, not UTF-16 text";
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
