/**
 * Returns one server-sent event as text. `data` may contain line feeds.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function serializeEvent(data: string, event?: string): string {
  return serializeLine(data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data, event);
}

/** Returns one event whose data is a single line, such as the output of `JSON.stringify`. */
export function serializeLine(data: string, event?: string, lineEnd = "\n"): string {
  const name = event === undefined ? "" : `event: ${event}${lineEnd}`;
  return `${name}data: ${data}${lineEnd}${lineEnd}`;
}

/** Returns a comment, which clients ignore. */
export function serializeComment(text: string): string {
  return `: ${text}\n\n`;
}

/** A comment that keeps an idle connection open. */
export const keepAliveComment = serializeComment("keep-alive");

/** Headers of a stream of server-sent events, which proxies such as nginx must neither cache nor buffer. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
