import { isAbsolute, relative } from "node:path";

/** Whether a path is a folder's own or lies beneath it; both absolute, links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..");
}
