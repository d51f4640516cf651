import { createInterface } from "node:readline/promises";

export type Reply = "yes" | "no" | "interrupted";

/**
 * Asks a yes-or-no question at the terminal. Only "y" and "yes" count as yes; Ctrl-D counts as no, Ctrl-C as an
 * interruption.
 */
export async function ask(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Reply> {
  const terminal = createInterface({ input, output, terminal: true });
  const interruption = new AbortController();
  terminal.on("SIGINT", () => interruption.abort());
  try {
    const text = await terminal.question(`${question} [y/N] `, { signal: interruption.signal });
    return /^y(es)?$/i.test(text.trim()) ? "yes" : "no";
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    output.write("\n");
    return interruption.signal.aborted ? "interrupted" : "no";
  } finally {
    terminal.close();
  }
}
