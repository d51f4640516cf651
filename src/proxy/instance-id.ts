import { randomBytes } from "node:crypto";

/** What a proxy's calls are marked with (`x-sallyport-via`), so that it knows one that comes back. */
export function newMark(): string {
  return randomBytes(9).toString("base64url");
}
