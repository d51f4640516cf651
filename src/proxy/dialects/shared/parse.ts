import type { z } from "zod";
import { DialectError, invalidRequest, invalidResponse } from "../../exchange/dialect-error.ts";
import type { Steps } from "../../exchange/steps.ts";
import { type Issue, type Parsed, parseAtOnce, parseInSteps } from "./parse-in-steps.ts";

/** Validates part of a client's request body. Throws `DialectError` (400) that names the invalid member. */
export function parseRequestPiece<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where = "",
): z.output<Schema> {
  return getRequestData(parseAtOnce(schema, value), where);
}

/** Validates like `parseRequestPiece`, with pauses in long lists. */
export function* parseRequestInSteps<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where = "",
): Steps<z.output<Schema>> {
  return getRequestData(yield* parseInSteps(schema, value), where);
}

function getRequestData<Value>(parsed: Parsed<Value>, where: string): Value {
  if (parsed.success) return parsed.data;
  const param = locate(parsed.issue, where);
  const problem = parsed.issue.message;
  throw invalidRequest(
    param === "" ? problem : `Invalid value for '${param}': ${problem}`,
    param || undefined,
  );
}

/** Returns the error (400) for a body that does not match its schema; it names the first invalid member. */
export function invalidBody({ issues: [issue] }: { readonly issues: readonly Issue[] }): DialectError {
  const param = issue?.path.join(".") ?? "";
  return invalidRequest(`${param || "body"}: ${issue?.message ?? "not acceptable"}`, param || undefined);
}

/** Validates part of an upstream's response body. Throws `DialectError` (502) if it is not a valid `what`. */
export function parseResponsePiece<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  return getResponseData(parseAtOnce(schema, value), what);
}

/** Validates like `parseResponsePiece`, with pauses in long lists. */
export function* parseResponseInSteps<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): Steps<z.output<Schema>> {
  return getResponseData(yield* parseInSteps(schema, value), what);
}

function getResponseData<Value>(parsed: Parsed<Value>, what: string): Value {
  if (parsed.success) return parsed.data;
  const param = locate(parsed.issue, "");
  const problem = parsed.issue.message;
  throw invalidResponse(
    `The upstream's response is not a valid ${what}: ${param === "" ? problem : `${param}: ${problem}`}`,
  );
}

/**
 * Decodes `raw`, a part of an upstream's response, with a decoder that requests use too. Converts the decoder's error
 * for an invalid request to a `DialectError` (502).
 */
export function* decodeResponsePart<Value>(decoder: Steps<Value>, raw: unknown): Steps<Value> {
  try {
    return yield* decoder;
  } catch (error) {
    if (error instanceof DialectError)
      throw invalidResponse(`The upstream's response is invalid: ${error.message}`, raw);
    throw error;
  }
}

/** Returns the path of an issue as text, such as `messages[3].role`. `where` is the path of the validated value. */
function locate({ path }: Issue, where: string): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}${text && "."}${String(key)}`),
    where,
  );
}
