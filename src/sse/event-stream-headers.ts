/** Headers of a stream of server-sent events, which proxies must neither cache nor buffer (nginx). */
export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
