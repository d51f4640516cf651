import type { DiffFile } from "../../../review/api-types.ts";

const EXECUTABLE = "100755";
const REGULAR = "100644";

/**
 * Describes in a few words that a file is a submodule, a symbolic link or a new executable file, or how its mode has
 * changed. Returns undefined if none of these applies. Modes are in git's notation, such as `100644`.
 */
export function modeChange(file: Pick<DiffFile, "oldMode" | "newMode">): string | undefined {
  const { oldMode, newMode } = file;
  const mode = newMode ?? oldMode;
  if (mode === "160000") return "submodule";
  if (mode === "120000") return "symbolic link";
  if (oldMode !== undefined && newMode !== undefined && oldMode !== newMode) {
    if (oldMode === REGULAR && newMode === EXECUTABLE) return "made executable";
    if (oldMode === EXECUTABLE && newMode === REGULAR) return "no longer executable";
    return `mode ${oldMode} → ${newMode}`;
  }
  return oldMode === undefined && mode === EXECUTABLE ? "executable" : undefined;
}
