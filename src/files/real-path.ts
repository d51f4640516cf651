import { realpathSync } from "node:fs";

/**
 * Returns a path with its symbolic links resolved, or the path itself if that fails, for example because nothing is
 * there.
 */
export function toRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
