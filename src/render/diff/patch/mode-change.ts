import type { DiffFile } from "../../../review/api-types.ts";

const EXECUTABLE = "100755";
const REGULAR = "100644";

/**
 * Describes the kind of a file or the change of its mode in a few words: submodule, symbolic link,
 * executable. Returns undefined for a file that is regular before and after the change. Modes are in git's
 * notation, such as `100644`. Pure.
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
