import { AppError } from "../../errors.ts";
import type { FileEdit } from "./file-edit.ts";

/** In every file that is wholly ours, in a comment: how we know it again. */
export const OWN_MARK = "Written by `sallyport install`; `sallyport uninstall` removes it.";

/** A file that holds nothing but ours. A file of the same name that somebody else wrote is not touched. */
export function ownFile(path: string, purpose: string, content: string): FileEdit {
  return {
    path,
    purpose,
    install(text) {
      if (text === undefined || text.includes(OWN_MARK)) return content;
      throw new AppError("configuration", "There is a file of that name that is not Sallyport's", {
        hint: "Move it away or rename it, then run the command again; nothing was changed.",
      });
    },
    uninstall: (text) => (text?.includes(OWN_MARK) ? undefined : text),
  };
}
