import { realpathSync } from "node:fs";

/** Returns a path with its links resolved, or the path itself if nothing is there. */
export function toRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
