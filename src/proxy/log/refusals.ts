/** A request that got no further than the door, or knocked at none. */
export interface Refusal {
  /** ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** Without its query, which can carry keys. */
  readonly path: string;
  readonly status: number;
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
