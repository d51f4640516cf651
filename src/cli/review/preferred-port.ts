import { createHash } from "node:crypto";

/** Below the range from which systems hand out ports of their own. */
const FIRST = 20_000;
const COUNT = 12_000;

/** The port a folder's reviews ask for first, so that the URL stays the same from round to round. Pure. */
export function preferredPort(folder: string): number {
  return FIRST + (createHash("sha256").update(folder).digest().readUInt32BE(0) % COUNT);
}
