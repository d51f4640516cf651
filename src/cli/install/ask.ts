import { createInterface } from "node:readline/promises";

/** A question to the person at a terminal. Only y and yes are a yes; Ctrl-C and Ctrl-D are a no. */
export async function ask(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output, terminal: true });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    output.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
