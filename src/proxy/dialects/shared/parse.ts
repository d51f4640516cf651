import type { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { type DialectError, invalidRequest, invalidResponse } from "../../exchange/dialect-error.ts";

/** Validates part of a client's request body. Throws `DialectError` (400) that names the invalid member. */
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

/** Returns the error (400) for a body that does not match its schema; it names the first invalid member. */
export function invalidBody({ issues: [issue] }: z.ZodError): DialectError {
  const param = issue?.path.join(".") ?? "";
  return invalidRequest(`${param || "body"}: ${issue?.message ?? "not acceptable"}`, param || undefined);
}

/** Validates part of an upstream's response body. Throws `DialectError` (502). */
export function parseResponsePiece<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value, FIRST_ISSUE);
  if (parsed.success) return parsed.data;
  const { param, problem } = firstIssue(parsed.error, "");
  throw invalidResponse(
    `The upstream's response is not a valid ${what}: ${param === "" ? problem : `${param}: ${problem}`}`,
  );
}

/**
 * Parses a chunk of a stream; undefined if it is not JSON. `JSON.parse` suffices because the OpenAI family's older
 * dialects send tool arguments as strings, so no number needs its exact digits kept.
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
