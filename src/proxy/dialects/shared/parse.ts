import type { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { type DialectError, invalidRequest, invalidResponse } from "../../exchange/dialect-error.ts";

/** Reads a piece of a client's body. Throws `DialectError` (400) that names the member which is wrong. */
export function parseRequestPiece<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where = "",
): z.output<Schema> {
  const parsed = schema.safeParse(value, FIRST_ISSUE);
  if (parsed.success) return parsed.data;
  const { param, problem } = firstIssue(parsed.error, where);
  throw invalidRequest(
    param === "" ? problem : `Invalid value for '${param}': ${problem}`,
    param || undefined,
  );
}

/** A body that is not what its schema says, by the first member that is wrong (400). */
export function invalidBody({ issues: [issue] }: z.ZodError): DialectError {
  const param = issue?.path.join(".") ?? "";
  return invalidRequest(`${param || "body"}: ${issue?.message ?? "not acceptable"}`, param || undefined);
}

/** Reads a piece of an upstream's answer. Throws `DialectError` (502). */
export function parseResponsePiece<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value, FIRST_ISSUE);
  if (parsed.success) return parsed.data;
  const { param, problem } = firstIssue(parsed.error, "");
  throw invalidResponse(
    `The upstream's answer is no ${what}: ${param === "" ? problem : `${param}: ${problem}`}`,
  );
}

/**
 * A chunk of a stream, or undefined where it is no JSON. Arguments are text in the streams of the OpenAI family's older
 * dialects, so no number needs keeping digit by digit.
 */
export function parseChunk(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstIssue(error: z.ZodError, where: string): { param: string; problem: string } {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}${text && "."}${String(key)}`),
    where,
  );
  return { param: path, problem: issue?.message ?? "it cannot be read" };
}
