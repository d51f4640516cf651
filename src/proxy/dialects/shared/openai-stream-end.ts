/**
 * How a stream of chunks ends: counts in a chunk without choices, where the client asked for them, and `[DONE]`.
 * `head` is what every chunk begins with, up to its choices.
 */
export function endOfChunks(head: string, usage: Readonly<Record<string, unknown>> | undefined): string {
  const last = usage === undefined ? "" : `${head}"choices":[],"usage":${JSON.stringify(usage)}}\n\n`;
  return `${last}data: [DONE]\n\n`;
}
