import { AppError, type ErrorCode, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { TunnelError } from "../../http/tunnel.ts";

/** The problem with a redirect, as a phrase that follows the upstream's name. */
export const REDIRECTED =
  "returned a redirect, which the proxy does not follow; set its base_url to the new address";

/** Codes of failed connection attempts. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_PROXY_TUNNEL",
]);

/** Codes of established connections that broke, such as idle ones that the upstream closed. */
const BROKEN_CONNECTION = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** Codes of timeouts, with the problem as a phrase that follows the upstream's name. */
const TIMEOUTS: ReadonlyMap<string, string> = new Map([
  ["UND_ERR_CONNECT_TIMEOUT", "did not accept a connection within timeouts.connect"],
  ["UND_ERR_HEADERS_TIMEOUT", "did not respond within timeouts.first_byte"],
  ["UND_ERR_BODY_TIMEOUT", "sent nothing for longer than timeouts.idle"],
  ["ETIMEDOUT", "does not respond"],
]);

/** Codes of errors after which a retry can help, depending on the cause. */
const BEFORE_RESPONSE = new Set<ErrorCode>(["upstream_unreachable", "upstream_timeout"]);

/** Codes of responses that violate HTTP: a head that is too long, or a wrong `content-length`. */
const NO_HTTP = new Set(["UND_ERR_HEADERS_OVERFLOW", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]);

/**
 * Converts an upstream's error to an `AppError`. The message contains neither the upstream's address nor anything that
 * the upstream has sent, because both may be secret. `begun` is whether any part of the response had arrived.
 */
export function toUpstreamError(error: Error, upstream: string, begun: boolean): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TunnelError)
    return upstreamError(
      "upstream_unreachable",
      `The upstream ${upstream} could not be reached: ${error.message}`,
      error,
    );
  const code = getErrorCode(error);
  if (TIMEOUTS.has(code)) {
    const what = TIMEOUTS.get(code);
    return new AppError("upstream_timeout", `The upstream ${upstream} ${what}`, { cause: error });
  }
  if (isUnexpectedInterim(error, code))
    return upstreamError(
      "upstream_invalid",
      `The upstream ${upstream} returned an unexpected interim status`,
      error,
    );
  if (begun)
    return upstreamError("upstream_cut", `The response of the upstream ${upstream} was interrupted`, error);
  if (error.name === "HTTPParserError" || NO_HTTP.has(code))
    return upstreamError(
      "upstream_invalid",
      `The upstream ${upstream} returned a response that is not valid HTTP`,
      error,
    );
  return upstreamError(
    "upstream_unreachable",
    `The upstream ${upstream} could not be reached (${code})`,
    error,
  );
}

/** Returns the error of a call that waited longer than `first_byte` for a connection and its response. */
export function createTimeoutError(upstream: string): AppError {
  const message = `The upstream ${upstream} did not respond within timeouts.first_byte: all connections to it were in use`;
  return new AppError("upstream_timeout", message);
}

/** Returns the error of a call that received only interim responses (1xx) within `first_byte`. */
export function createInterimTimeoutError(upstream: string): AppError {
  const message = `The upstream ${upstream} did not respond within timeouts.first_byte: it sent interim responses (1xx) only`;
  return new AppError("upstream_timeout", message);
}

/** Returns the error of a response that ended too early: a stream without its last event, or incomplete JSON. */
export function createCutError(upstream: string, isStream: boolean): AppError {
  const what = isStream ? "stream" : "response";
  const end = isStream ? "its last event" : "the end of its JSON";
  return new AppError("upstream_cut", `The ${what} of the upstream ${upstream} ended before ${end}`);
}

/** Returns the error of a call whose client has disconnected. */
export function clientDisconnected(): AppError {
  return new AppError("client_gone", "The client disconnected");
}

/** Returns whether a retry can help: connecting failed, or the connection broke before any part of the response. */
export function canRetry(error: Error): boolean {
  if (error instanceof AppError && !BEFORE_RESPONSE.has(error.code)) return false;
  const code = getCauseCode(error);
  return UNREACHABLE.has(code) || BROKEN_CONNECTION.has(code);
}

/** Returns whether connecting failed. */
export function isUnreachable(error: Error): boolean {
  return UNREACHABLE.has(getCauseCode(error));
}

function getCauseCode(error: Error): string {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof Error ? getErrorCode(cause) : "";
}

/**
 * Returns whether undici has rejected a 101, or a 100 that `skippingContinue` has not removed because its head is too
 * long. Only the error's message identifies these cases.
 */
function isUnexpectedInterim(error: Error, code: string): boolean {
  return code === "UND_ERR_SOCKET" && /^bad (?:response|upgrade)$/.test(error.message);
}

function upstreamError(code: ErrorCode, message: string, cause: Error): AppError {
  return new AppError(code, message, { cause });
}

function getErrorCode(error: Error): string {
  const own = systemErrorCode(error);
  if (own) return own;
  if (error instanceof AggregateError) {
    const first: unknown = error.errors[0];
    return systemErrorCode(first) ?? "unknown reason";
  }
  return (
    systemErrorCode(error.cause) ??
    (/certificate|TLS|SSL/i.test(getErrorMessage(error)) ? "TLS" : "unknown reason")
  );
}
