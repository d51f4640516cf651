import { isAbsolute, join, normalize } from "node:path";
import { AppError } from "../../../errors.ts";

/**
 * Returns the absolute path of a folder that a person named; `~` stands for the home directory. Throws `validation`
 * for a relative path, which would depend on the agent's working directory, and for a path inside a .git folder.
 */
export function expandFolder(path: string, home: string, what: string): string {
  const expanded = path === "~" || /^~[\\/]/.test(path) ? join(home, path.slice(1)) : path;
  if (!isAbsolute(expanded) || expanded.includes("\0")) {
    throw new AppError("validation", `${what} must be an absolute path or begin with ~/, got "${path}"`);
  }
  const folder = normalize(expanded);
  if (folder.split(/[\\/]/).some((part) => part.toLowerCase() === ".git")) {
    throw new AppError("validation", `${what} must not be inside a .git folder`);
  }
  return folder;
}
