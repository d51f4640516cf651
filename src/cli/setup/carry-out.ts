import { createInterface } from "node:readline/promises";
import type { Change } from "../../agents/file-edits/changes.ts";
import type { ReceiptStore } from "../../agents/file-edits/receipts.ts";
import { showChanges } from "../../agents/file-edits/show-changes.ts";
import { writeChanges } from "../../agents/file-edits/write-changes.ts";
import { AppError } from "../../errors.ts";
import type { Output } from "../output.ts";

export interface Undertaking {
  readonly changes: readonly Change[];
  readonly receipts: ReceiptStore;
  /** The command line that makes the same changes without asking. */
  readonly unasked: string;
  readonly yes: boolean;
  /** Values that the diff masks. */
  readonly secrets?: readonly string[];
  /** Called after the person has confirmed and before the files are written. */
  readonly before?: () => Promise<void>;
}

/** The exit code after Ctrl-C: 128 plus the number of SIGINT. */
const INTERRUPTED = 130;

/**
 * Shows the diff, asks unless `yes` is set, and writes. Resolves to undefined once the changes are written, or to an
 * exit code: 0 if the person declines, 130 after Ctrl-C. Throws `usage` if it cannot ask, because stdin or stderr is
 * not a terminal.
 */
export async function carryOut(undertaking: Undertaking, output: Output): Promise<number | undefined> {
  output.note(showChanges(undertaking.changes, undertaking.secrets), "diff");
  const reply = undertaking.yes ? "yes" : await askToWrite(undertaking.unasked);
  if (reply !== "yes") {
    output.note("No changes made.");
    return reply === "interrupted" ? INTERRUPTED : 0;
  }
  await undertaking.before?.();
  await writeChanges(undertaking.changes, undertaking.receipts);
  return undefined;
}

async function askToWrite(unasked: string): Promise<Reply> {
  const missing = describeMissingTerminal();
  if (missing !== undefined)
    throw new AppError("usage", `No changes made: ${missing}`, {
      hint: `To write the changes above, run: ${unasked}`,
    });
  return confirm("Write these changes?", process.stdin, process.stderr);
}

/**
 * Returns why no question can be asked, such as "stdin is not a terminal"; undefined if stdin and stderr are terminals.
 */
export function describeMissingTerminal(): string | undefined {
  const missing = (["stdin", "stderr"] as const).filter((name) => !process[name].isTTY);
  if (missing.length === 2) return "stdin and stderr are not terminals";
  return missing[0] && `${missing[0]} is not a terminal`;
}

type Reply = "yes" | "no" | "interrupted";

/**
 * Asks a yes-or-no question at the terminal. Only "y" and "yes" count as yes; Ctrl-D counts as no, Ctrl-C as an
 * interruption.
 */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Reply> {
  const terminal = createInterface({ input, output, terminal: true });
  const asking = new AbortController();
  let isInterrupted = false;
  terminal.on("SIGINT", () => {
    isInterrupted = true;
    asking.abort();
  });
  // On Node.js 20.19.0, a question never settles after Ctrl-D has closed its terminal.
  terminal.once("close", () => asking.abort());
  try {
    const text = await terminal.question(`${question} [y/N] `, { signal: asking.signal });
    return /^y(es)?$/i.test(text.trim()) ? "yes" : "no";
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    output.write("\n");
    return isInterrupted ? "interrupted" : "no";
  } finally {
    terminal.close();
  }
}
