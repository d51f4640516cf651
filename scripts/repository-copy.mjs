import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "..");

/** Copies the repository's current files into `copy` and links the installed packages. */
export function copyRepository(copy) {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { force: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "dir");
  return copy;
}
