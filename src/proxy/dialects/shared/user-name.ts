import { createHash } from "node:crypto";

/**
 * Returns a user ID of at most 64 characters, because OpenAI-compatible APIs reject longer IDs, such as those of Claude
 * Code. A longer ID is replaced by its SHA-256 digest in hex, so the same user has the same ID in every call
 * (https://platform.openai.com/docs/guides/safety-best-practices).
 */
export function fitUserName(user: string | undefined): string | undefined {
  return user === undefined || user.length <= 64 ? user : createHash("sha256").update(user).digest("hex");
}
