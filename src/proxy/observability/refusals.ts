/**
 * A request that was rejected without becoming a call: at admission, by a route that serves no calls, or because no
 * route matched.
 */
export interface Refusal {
  /** ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** The path without the query, because a query can contain keys. */
  readonly path: string;
  /** The route's pattern; empty if none matched. */
  readonly route: string;
  readonly client: string;
  readonly status: number;
  /** A code of the error catalog. */
  readonly errorCode: string;
  readonly reason: string;
}

const MAX_PATH_CHARS = 120;
/** Milliseconds during which similar rejections are reported once. */
const PAUSE_MS = 1_000;

/**
 * Formats a rejected request as one line for people:
 * `14:02:11  401!  POST /v1/messages  A valid API key of this proxy is required`.
 */
export function refusalLine({ time, method, path, status, reason }: Refusal): string {
  const shown = path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;
  return [time.slice(11, 19), `${status}!`, `${method} ${shown}`, reason]
    .join("  ")
    .replace(/[\t\r\n]+/g, " ");
}

/** Maximum number of rejections in a second that get their own line; further ones are counted. */
const MAX_LINES = 20;
/** Maximum number of kinds of rejections that are counted separately; further ones are counted by status. */
const MAX_KINDS = 100;

/** Writes rejected requests to the request log. */
export interface RefusalLines {
  add(refusal: Refusal): void;
  /** Writes the counted rejections. */
  flush(): void;
}

/**
 * Creates a writer that logs rejected requests as JSON lines. Anyone who can connect can cause rejections, and they
 * must not displace the calls in the log. After 20 lines in a second, rejections with the same client, status and route
 * share one line that contains their count.
 */
export function createRefusalLines(write: (line: string) => void): RefusalLines {
  let written = 0;
  let counted = new Map<string, { readonly refusal: Refusal; count: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    written = 0;
    for (const { refusal, count } of counted.values()) write(jsonLine(refusal, count));
    counted = new Map();
  };
  return {
    add(refusal) {
      timer ??= setTimeout(flush, PAUSE_MS).unref();
      if (written < MAX_LINES) {
        written += 1;
        write(jsonLine(refusal, 1));
        return;
      }
      const alike = `${refusal.client} ${refusal.status} ${refusal.route}`;
      const kind = counted.has(alike) || counted.size < MAX_KINDS ? alike : String(refusal.status);
      const known = counted.get(kind) ?? { refusal, count: 0 };
      known.count += 1;
      counted.set(kind, known);
    },
    flush,
  };
}

function jsonLine({ path, route, errorCode, ...others }: Refusal, count: number): string {
  const { time, client, method, status, reason } = others;
  return JSON.stringify({
    time,
    client,
    method,
    ...(route === "" ? { path: path.slice(0, MAX_PATH_CHARS) } : { route }),
    status,
    error_code: errorCode,
    fault: reason.slice(0, MAX_REASON_CHARS),
    ...(count > 1 && { count }),
  });
}

const MAX_REASON_CHARS = 300;

/**
 * Creates a function that reports rejections as lines for people. Consecutive rejections of the same request are
 * reported at most once per second, because a page that retries causes many.
 */
export function createRefusalReporter(report: (line: string) => void): (refusal: Refusal) => void {
  let last = { alike: "", at: 0 };
  return (refusal) => {
    const alike = `${refusal.status} ${refusal.method} ${refusal.path}`;
    const at = Date.parse(refusal.time);
    if (alike === last.alike && at - last.at < PAUSE_MS) return;
    last = { alike, at };
    report(refusalLine(refusal));
  };
}
