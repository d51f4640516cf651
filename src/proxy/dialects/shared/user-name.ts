import { createHash } from "node:crypto";

/**
 * Who the user is, in as many characters as the vendor takes: 64 in the OpenAI family, which refuses the call over one
 * more, and Claude Code's are twice as long. What is longer is told by its digest, as the vendor asks for anyhow
 * (https://platform.openai.com/docs/guides/safety-best-practices): the same user is the same in every call.
 */
export function fitUserName(user: string | undefined): string | undefined {
  return user === undefined || user.length <= 64 ? user : createHash("sha256").update(user).digest("hex");
}
