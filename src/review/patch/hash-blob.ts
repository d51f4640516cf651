import { createHash } from "node:crypto";

/** Returns git's object name of a file's content. */
export function hashBlob(content: Buffer, format: "sha1" | "sha256" = "sha1"): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Reports whether bytes are the content of a blob, given its full or abbreviated object name. */
export function isBlob(content: Buffer, name: string): boolean {
  return hashBlob(content, name.length > 40 ? "sha256" : "sha1").startsWith(name);
}
