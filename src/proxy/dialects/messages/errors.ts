import type { EncodedError } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { isContextOverflow, kindOfStatus, retryAfterSeconds } from "../../exchange/error-status.ts";
import { isObject } from "../../exchange/json.ts";
import { ownMember } from "../../exchange/own-member.ts";
import { errorWords } from "../shared/error-words.ts";

type Kind = ExchangeError["kind"];

/** `error.type` per kind (https://docs.anthropic.com/en/api/errors). */
const types: Record<Kind, string> = {
  "invalid-request": "invalid_request_error",
  authentication: "authentication_error",
  billing: "billing_error",
  permission: "permission_error",
  "not-found": "not_found_error",
  timeout: "timeout_error",
  conflict: "invalid_request_error",
  "too-large": "request_too_large",
  unprocessable: "invalid_request_error",
  "context-overflow": "invalid_request_error",
  "rate-limit": "rate_limit_error",
  quota: "rate_limit_error",
  overloaded: "overloaded_error",
  upstream: "api_error",
  internal: "api_error",
};

const kinds: Readonly<Record<string, Kind>> = {
  authentication_error: "authentication",
  billing_error: "billing",
  permission_error: "permission",
  not_found_error: "not-found",
  request_too_large: "too-large",
  rate_limit_error: "rate-limit",
  overloaded_error: "overloaded",
  timeout_error: "timeout",
};

/** Reads a refusal: `{type: "error", error: {type, message}}`, also as the body of a stream's `error` event. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : isObject(body) ? body : {};
  const message = errorWords(body) ?? `The upstream answered ${status}.`;
  const type = typeof error["type"] === "string" ? error["type"] : undefined;
  const isOverflow = (status === 400 || status === 413) && isContextOverflow(message);
  return defined({
    kind: isOverflow ? "context-overflow" : (ownMember(kinds, type ?? "") ?? kindOfStatus(status)),
    status,
    message,
    code: type,
    retryAfterSeconds: retryAfterSeconds(headers),
    raw: body,
  });
}

/** The code that makes the SDK send a thread's whole conversation again (`details.error_code`). */
const threadNotFound = "thread_not_found";

/** An error as this dialect's clients know it: they match the words `prompt is too long` and the status 529. */
export function encodeError(error: ExchangeError, requestId?: string): EncodedError {
  const { message } = error;
  // Mocks and gateways say "unavailable" with statuses that mean something else; clients go by the status.
  const kind = error.kind === "overloaded" && error.status < 500 ? kindOfStatus(error.status) : error.kind;
  const isOverflow = kind === "context-overflow" && !/prompt is too long/i.test(message);
  return {
    status: kind === "overloaded" ? 529 : error.status,
    headers: error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) },
    body: defined({
      type: "error",
      error: defined({
        type: types[kind],
        message: isOverflow ? `prompt is too long: ${message}` : message,
        details: error.code === threadNotFound ? { error_code: threadNotFound } : undefined,
      }),
      request_id: requestId,
    }),
  };
}
