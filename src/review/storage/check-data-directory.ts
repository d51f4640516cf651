import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { AppError, messageOf } from "../../errors.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";

/**
 * Makes the data directory and sees that it can be written. Looked at before anybody starts to review: without it no
 * decision could be put on record, and an hour's comments would end in an error. Throws `storage`.
 */
export async function checkDataDirectory(path: string): Promise<void> {
  try {
    await makePrivateFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError("storage", `The data directory ${path} cannot be used: ${messageOf(cause)}`, {
      cause,
      hint: "Make it writable, or name another one with SERVICE_HOME.",
    });
  }
}
