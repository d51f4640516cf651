import type { Output } from "../../src/cli/output.ts";

/** Returns the output of a command without a terminal, and the notes and results that the command writes to it. */
export function recordOutput() {
  const notes: string[] = [];
  const results: string[] = [];
  const output: Output = {
    note: (text) => void notes.push(text),
    result: async (text) => results.push(text) > 0,
    lostResult: false,
    interactive: false,
  };
  return { notes, results, output };
}
