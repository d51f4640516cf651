import { createHash, randomBytes } from "node:crypto";

/** Returns a new secret: `sk-sally-` and 256 random bits as 43 characters of base64url. */
export function newSecret(): string {
  return `sk-sally-${randomBytes(32).toString("base64url")}`;
}

/** Returns a new key id: `key_` and 96 random bits in hexadecimal. */
export function newKeyId(): string {
  return `key_${randomBytes(12).toString("hex")}`;
}

/** Returns the SHA-256 of a secret in lower-case hexadecimal, as the database keeps it. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
