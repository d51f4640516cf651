import { withDeceptionsShown } from "../../markdown/deceptive.ts";

/** Splits a path into folder and name and makes hidden characters visible. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf("/") + 1;
  return { folder: withDeceptionsShown(path.slice(0, slash)), name: withDeceptionsShown(path.slice(slash)) };
}
