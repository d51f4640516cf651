import { createInterface } from "node:readline/promises";

export type Reply = "yes" | "no" | "interrupted";

/** Asks the person at a terminal. Only y and yes are a yes; Ctrl-D is a no, Ctrl-C an interruption. */
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
