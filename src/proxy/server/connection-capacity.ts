import { readFileSync } from "node:fs";

/** How many connections a server accepts. */
export interface ConnectionCapacity {
  readonly connections: number;
  /** Connections above `connections` that are accepted for one request: probes are served, other requests get 503. */
  readonly reserve: number;
}

const MAX_RESERVE = 256;
/** File descriptors of files, pipes, listeners and Node.js itself: 25 to 35 are in use without calls. */
const OWN_DESCRIPTORS = 40;

/**
 * Returns how many of the configured connections the file descriptors of the process allow. Each call takes two, for
 * the client's connection and the upstream's.
 */
export function capacityFor(configured: number, descriptors: number): ConnectionCapacity {
  const available = Math.max(0, descriptors - OWN_DESCRIPTORS);
  const reserve = Math.max(1, Math.min(MAX_RESERVE, Math.floor(available / 8)));
  const affordable = Math.max(1, Math.floor((available - reserve) / 2));
  return { connections: Math.min(configured, affordable), reserve };
}

/** Returns the limit of open files of this process; Infinity where it is not known (all systems but Linux). */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
