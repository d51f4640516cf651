import type { FileEdit } from "./file-edit.ts";

/** Combines several edits of one file. */
export function combined(path: string, purpose: string, parts: readonly FileEdit[]): FileEdit {
  return {
    path,
    purpose,
    install: (text, earlier) =>
      parts.reduce<string>((current, part) => part.install(current, earlier), text ?? ""),
    uninstall: (text, earlier) =>
      [...parts]
        .reverse()
        .reduce<string | undefined>((current, part) => part.uninstall(current, earlier), text),
  };
}
