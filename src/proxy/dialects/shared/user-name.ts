import { createHash } from "node:crypto";

/**
 * Returns a user id of at most 64 characters, because OpenAI-compatible APIs reject longer ids, such as those of Claude
 * Code. A longer id is replaced by its SHA-256 digest in hex, so the same user has the same id in every call
 * (https://platform.openai.com/docs/guides/safety-best-practices).
 */
export function fitUserName(user: string | undefined): string | undefined {
  return user === undefined || user.length <= 64 ? user : createHash("sha256").update(user).digest("hex");
}
