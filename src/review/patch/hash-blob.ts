import { createHash } from "node:crypto";

/** Returns git's object name of a file's content. */
export function hashBlob(content: Buffer, format: "sha1" | "sha256" = "sha1"): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}
