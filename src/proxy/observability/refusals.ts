/** A request that got no further than the door, or knocked at none. */
export interface Refusal {
  /** ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** Without its query, which can carry keys. */
  readonly path: string;
  /** The pattern of the route; empty where none matched. */
  readonly route: string;
  readonly client: string;
  readonly status: number;
  /** A code of the catalogue. */
  readonly errorCode: string;
  readonly reason: string;
}

const LONGEST_PATH = 120;
/** How long alike refusals are told once. */
const PAUSE_MS = 1_000;

/** A refusal as one line for a person: `14:02:11  404!  POST /chat/completions  There is no such path`. */
export function refusalLine({ time, method, path, status, reason }: Refusal): string {
  const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  return [time.slice(11, 19), `${status}!`, `${method} ${shown}`, reason]
    .join("  ")
    .replace(/[\t\r\n]+/g, " ");
}

/** Refusals that have a line of their own in each second; others of that second are counted. */
const MAX_LINES = 20;
/** Kinds of refusals that are counted apart. */
const MAX_KINDS = 100;

/** Writes refusals into the request log. */
export interface RefusalLines {
  add(refusal: Refusal): void;
  /** Writes what was only counted so far. */
  flush(): void;
}

/**
 * Writes refusals as lines of JSON. Anybody who reaches the port can be refused as often as they like, and must not push
 * calls out of the log: beyond 20 in a second those with the same client, status and route share a line, with a count.
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
    ...(route === "" ? { path: path.slice(0, LONGEST_PATH) } : { route }),
    status,
    error_code: errorCode,
    fault: reason.slice(0, LONGEST_REASON),
    ...(count > 1 && { count }),
  });
}

const LONGEST_REASON = 300;

/** Tells of refusals, of those that come in a row and are alike only now and then: a page that tries often is loud. */
export function createRefusalTeller(tell: (line: string) => void): (refusal: Refusal) => void {
  let last = { alike: "", at: 0 };
  return (refusal) => {
    const alike = `${refusal.status} ${refusal.method} ${refusal.path}`;
    const at = Date.parse(refusal.time);
    if (alike === last.alike && at - last.at < PAUSE_MS) return;
    last = { alike, at };
    tell(refusalLine(refusal));
  };
}
