import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** A repository of jj or Sapling. */
export interface OtherRepository {
  readonly kind: "jj" | "sapling";
  readonly root: string;
}

/**
 * Returns the repository of jj or Sapling that contains a folder. Returns undefined if git can read the
 * repository too, for example a colocated repository of jj.
 */
export function findOtherRepository(folder: string): OtherRepository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return undefined;
    if (existsSync(join(at, ".jj"))) return { kind: "jj", root: at };
    if (existsSync(join(at, ".sl"))) return { kind: "sapling", root: at };
    if (dirname(at) === at) return undefined;
  }
}
