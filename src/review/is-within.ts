import { isAbsolute, relative } from "node:path";

/**
 * Reports whether a path is the folder itself or inside it. Both paths must be absolute with links resolved.
 */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..");
}
