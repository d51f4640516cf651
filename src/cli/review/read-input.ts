import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { AppError, systemErrorCode } from "../../errors.ts";

/** Nobody reviews more; it keeps a runaway pipe from filling the memory. */
const LARGEST_INPUT = 64 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOENT: "there is no such file",
  EACCES: "you may not read it",
};

/** The text of a file, or of stdin where none or `-` is named. Throws `input` for what cannot be read. */
export function readInput(file: string | undefined, signal: AbortSignal): Promise<string> {
  return file === undefined || file === "-" ? readStdin(signal) : readPlanFile(file);
}

async function readPlanFile(file: string): Promise<string> {
  try {
    return textOf(await readFile(file));
  } catch (cause) {
    const code = systemErrorCode(cause) ?? "unknown";
    throw new AppError("input", `Cannot read ${file}: ${REASONS[code] ?? code}`, {
      cause,
      hint: "Name a Markdown file, or pipe the plan in on stdin.",
    });
  }
}

async function readStdin(signal: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) {
    throw new AppError("usage", "No plan: name a file, or pipe one in on stdin", {
      hint: "For example: sallyport review plan plan.md",
    });
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_INPUT) throw new AppError("input", "The plan on stdin is larger than 64 MB");
  }
  return textOf(Buffer.concat(chunks));
}

/** UTF-8, but for what says by its first bytes that it is UTF-16, as text of PowerShell does. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.toString("utf8");
}
