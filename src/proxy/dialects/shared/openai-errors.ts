import { defined } from "../../exchange/defined.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import {
  isContextOverflow,
  retryAfterSeconds,
  statusToKind,
  toErrorStatus,
} from "../../exchange/error-status.ts";
import { isObject } from "../../exchange/json.ts";
import { findErrorMessage } from "./error-message.ts";

type Kind = ExchangeError["kind"];

/**
 * Parses an error body: `{error: {message, type, code, param}}`, or the forms that compatible servers use instead.
 */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const outer = Array.isArray(body) ? body[0] : body;
  const error = isObject(outer) && isObject(outer["error"]) ? outer["error"] : isObject(outer) ? outer : {};
  const message = findErrorMessage(outer) ?? `The upstream responded with status ${status}.`;
  const code = [error["code"], error["type"]].find((value) => typeof value === "string" && value !== "");
  return defined({
    kind: classifyError(status, message, typeof code === "string" ? code : undefined),
    status,
    message,
    code: typeof code === "string" ? code : undefined,
    param: typeof error["param"] === "string" ? error["param"] : undefined,
    retryAfterSeconds: retryAfterSeconds(headers),
    raw: body,
  });
}

/**
 * Parses the error in a response of status 200 or in a stream. The status is the `code` or `status` of the error, or
 * 502 if neither is the status of an error.
 */
export function decodeInnerError(body: unknown): ExchangeError {
  const error = isObject(body) ? body["error"] || body : undefined;
  const status = isObject(error)
    ? (toErrorStatus(error["code"]) ?? toErrorStatus(error["status"]))
    : undefined;
  return decodeError(status ?? 502, {}, body);
}

function classifyError(status: number, message: string, code: string | undefined): Kind {
  if (isContextOverflow(status, message, code)) return "context-overflow";
  if (code === "insufficient_quota") return "quota";
  if (code === "rate_limit_exceeded" || code === "rate_limit_error") return "rate-limit";
  return statusToKind(status);
}
