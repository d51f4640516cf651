/** What a stream of server-sent events is sent with: proxies on the way neither keep it nor hold it back (nginx). */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
