import { isAbsolute, join, normalize } from "node:path";
import { AppError } from "../../../errors.ts";

/**
 * A folder a person named: absolute, or with `~` for the home directory. Throws `validation` for a relative one (it
 * would land wherever the agent happened to run) and for one inside a repository's own folder.
 */
export function expandFolder(path: string, home: string, what: string): string {
  const expanded = path === "~" || /^~[\\/]/.test(path) ? join(home, path.slice(1)) : path;
  if (!isAbsolute(expanded) || expanded.includes("\0")) {
    throw new AppError("validation", `${what} must be an absolute path or begin with ~/, got "${path}"`);
  }
  const folder = normalize(expanded);
  if (folder.split(/[\\/]/).some((part) => part.toLowerCase() === ".git")) {
    throw new AppError("validation", `${what} must not lie inside a .git folder`);
  }
  return folder;
}
