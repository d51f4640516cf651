import type { DiffFile } from "../../../review/api-types.ts";

const EXECUTABLE = "100755";
const REGULAR = "100644";

/**
 * What a file is, or has become, beside its text, in a word or two: it may run programs, or lead elsewhere. Undefined
 * for a regular file that stays one. Modes are git's. Pure.
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
