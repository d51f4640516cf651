import { defined } from "../../exchange/defined.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { isContextOverflow, retryAfterSeconds, statusToKind } from "../../exchange/error-status.ts";
import { isObject, ownMember } from "../../exchange/json.ts";
import { findErrorMessage } from "../shared/error-message.ts";

type Kind = ExchangeError["kind"];

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

/** HTTP status by `error.type`, for errors in a response of status 200 or in a stream. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Parses an error body or the data of an `error` event: `{type: "error", error: {type, message}}`. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : isObject(body) ? body : {};
  const message = findErrorMessage(body) ?? `The upstream responded with status ${status}.`;
  const type = typeof error["type"] === "string" ? error["type"] : undefined;
  const isOverflow = isContextOverflow(status, message);
  return defined({
    kind: isOverflow ? "context-overflow" : (ownMember(kinds, type ?? "") ?? statusToKind(status)),
    status,
    message,
    code: type,
    retryAfterSeconds: retryAfterSeconds(headers),
    raw: body,
  });
}

/** Parses the error in a response of status 200 or in a stream. The status is the one of the error's type, or 502. */
export function decodeInnerError(body: unknown): ExchangeError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  const status = typeof error["type"] === "string" ? ownMember(statuses, error["type"]) : undefined;
  return decodeError(status ?? 502, {}, body);
}
