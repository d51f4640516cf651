/**
 * One server-sent event as text. `data` may hold line feeds; JSON written by `JSON.stringify` holds none and takes the
 * short way.
 */
export function serializeEvent(data: string, event?: string): string {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data;
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`;
}

/** A comment, which every reader ignores: keeps a quiet connection open. */
export const keepAliveComment = ": keep-alive\n\n";
