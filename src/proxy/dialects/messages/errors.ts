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

/** Parses an error body or the data of an `error` event: `{type: "error", error: {type, message}}`. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : isObject(body) ? body : {};
  const message = findErrorMessage(body) ?? `The upstream responded with status ${status}.`;
  const type = typeof error["type"] === "string" ? error["type"] : undefined;
  const isOverflow = (status === 400 || status === 413) && isContextOverflow(message);
  return defined({
    kind: isOverflow ? "context-overflow" : (ownMember(kinds, type ?? "") ?? statusToKind(status)),
    status,
    message,
    code: type,
    retryAfterSeconds: retryAfterSeconds(headers),
    raw: body,
  });
}
