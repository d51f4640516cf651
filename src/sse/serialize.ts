/**
 * Returns one server-sent event as text. `data` may contain line feeds; output of `JSON.stringify` contains none and takes
 * the fast path.
 */
export function serializeEvent(data: string, event?: string): string {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data;
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`;
}

/** A comment, which clients ignore; keeps an idle connection open. */
export const keepAliveComment = ": keep-alive\n\n";
