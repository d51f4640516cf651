import { getErrorMessage, systemErrorCode } from "../errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "the name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  EIO: "the device reported an error",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** Returns why a file cannot be read, for example "permission denied". */
export function getReadReason(error: unknown): string {
  return REASONS[systemErrorCode(error) ?? ""] ?? getErrorMessage(error);
}
