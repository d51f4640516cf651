import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Returns the folder of the built pages: `web` beside the bundle, or `dist/web` when run from source. */
export function pagesFolder(): string {
  const here = import.meta.dirname;
  const candidates = ["web", "../web", "../../dist/web"].map((path) => resolve(here, path));
  return candidates.find((path) => existsSync(resolve(path, "plan/index.html"))) ?? resolve(here, "../web");
}
