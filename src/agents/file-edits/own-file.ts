import { AppError } from "../../errors.ts";
import type { FileEdit } from "./file-edit.ts";

/** The comment in every installed file that consists only of Sallyport's text, by which the file is recognized. */
export const OWN_MARK = "Written by `sallyport install`; `sallyport uninstall` removes it.";

/**
 * Returns an edit of a file that contains only Sallyport's text. A file of the same name without `OWN_MARK` is not
 * changed: `install` throws `configuration`.
 */
export function ownFile(path: string, purpose: string, content: string): FileEdit {
  return {
    path,
    purpose,
    install(text) {
      if (text === undefined || text.includes(OWN_MARK)) return content;
      throw new AppError("configuration", "The file exists and was not written by Sallyport", {
        hint: "Move it away or rename it, then run the command again. No changes made.",
      });
    },
    uninstall: (text) => (text?.includes(OWN_MARK) ? undefined : text),
  };
}
