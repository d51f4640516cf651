import { withDeceptionsShown } from "../../markdown/deceptive.ts";

/** A path as it is shown: its folder with the slash, and its name, with nothing hidden in either. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf("/") + 1;
  return { folder: withDeceptionsShown(path.slice(0, slash)), name: withDeceptionsShown(path.slice(slash)) };
}
