import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { AppError, messageOf } from "../../errors.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";

/**
 * Creates the data directory and checks that it is writable. Call it before the review starts: a decision could not
 * be recorded without it, and all comments would be lost. Throws `storage`.
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
