import { AppError, getErrorMessage } from "../errors.ts";

/** Returns the `storage` error for a data directory that cannot be created or written. */
export function dataDirectoryFailure(path: string, cause: unknown): AppError {
  return new AppError("storage", `Cannot use the data directory ${path}: ${getErrorMessage(cause)}`, {
    cause,
    hint: "Make it writable, or set SERVICE_HOME to another folder.",
  });
}
