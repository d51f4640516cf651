import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { plainIssue } from "../../config/plain-issue.ts";
import type { Limits } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { FIRST_ISSUE } from "../../json/first-issue.ts";
import { type BodyMemory, BodyShare } from "./body-memory.ts";
import { readBody } from "./read-body.ts";

/**
 * Reads the JSON body of a utility route; an empty body is read as `{}`. Throws `validation` if the body is not JSON or
 * does not match the schema, and the errors of `readBody`.
 */
export async function readJsonBody<Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
  { memory, limits }: { readonly memory: BodyMemory; readonly limits: Limits },
): Promise<z.infer<Schema>> {
  const share = new BodyShare(memory);
  const count = { share, max: limits.inFlight };
  const bytes = await readBody(request, limits.utilityBody, count).finally(() => share.release());
  let value: unknown;
  try {
    const text = bytes.toString("utf8").replace(/^\ufeff/, "");
    value = text === "" ? {} : JSON.parse(text);
  } catch (cause) {
    throw new AppError("validation", "The body is not JSON", { cause });
  }
  return parseInput(schema, value, "the body");
}

/**
 * Parses a value that a client sent. Throws `validation` with the path of the first invalid member, or with `what` if
 * the value itself is invalid.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const result = schema.safeParse(value, { error: plainIssue, ...FIRST_ISSUE });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new AppError("validation", `${issue?.path.map(String).join(".") || what} ${issue?.message}`);
}
