import { AppError, type ErrorCode, messageOf, systemErrorCode } from "../../errors.ts";
import { TunnelError } from "./tunnel.ts";

/** No connection can be had. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_PROXY_TUNNEL",
]);

/** A connection that was there has broken, as an idle one does that the upstream closes. */
const BROKEN_CONNECTION = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const TIMEOUTS = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "ETIMEDOUT",
]);

/** What happens before any of an answer has come, or may. */
const BEFORE_AN_ANSWER = new Set<ErrorCode>(["upstream_unreachable", "upstream_timeout"]);

/** Heads that contradict themselves, or never end. */
const NO_HTTP = new Set(["UND_ERR_HEADERS_OVERFLOW", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]);

/**
 * What went wrong with an upstream, told without its address or anything that it sent: those may hold secrets.
 * `begun` says whether any of its answer had arrived.
 */
export function toUpstreamError(error: Error, upstream: string, begun: boolean): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TunnelError)
    return upstreamError(
      "upstream_unreachable",
      `The upstream ${upstream} could not be reached: ${error.message}`,
      error,
    );
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) {
    const what =
      code === "UND_ERR_CONNECT_TIMEOUT" ? "did not accept a connection" : "was silent for too long";
    return new AppError("upstream_timeout", `The upstream ${upstream} ${what}`, { cause: error });
  }
  if (isUnaskedFor(error, code))
    return upstreamError(
      "upstream_invalid",
      `The upstream ${upstream} answered with an interim status that nobody asked for`,
      error,
    );
  if (begun) return upstreamError("upstream_cut", `The answer of the upstream ${upstream} broke off`, error);
  if (error.name === "HTTPParserError" || NO_HTTP.has(code))
    return upstreamError(
      "upstream_invalid",
      `The upstream ${upstream} answered with something that is not HTTP`,
      error,
    );
  return upstreamError(
    "upstream_unreachable",
    `The upstream ${upstream} could not be reached (${code})`,
    error,
  );
}

/** Returns the failure of a call that waited for a connection, and for an answer, as long as `first_byte` allows. */
export function waitedTooLong(upstream: string): AppError {
  const message = `The upstream ${upstream} did not answer within first_byte: all connections to it were in use`;
  return new AppError("upstream_timeout", message);
}

/** Returns the failure of a call whose upstream sends interim responses (1xx) and no other until `first_byte` is over. */
export function onlyInterim(upstream: string): AppError {
  const message = `The upstream ${upstream} did not answer within first_byte: it sent interim responses (1xx) only`;
  return new AppError("upstream_timeout", message);
}

/** Returns the failure of a stream that ended without its last event. */
export function streamCut(upstream: string): AppError {
  return new AppError("upstream_cut", `The stream of the upstream ${upstream} ended before its last event`);
}

/** The client has left, so that nobody waits for the upstream any more. */
export function clientDisconnected(): AppError {
  return new AppError("client_gone", "The client left");
}

/** Whether another try can help: connecting failed, or the connection broke before any of the answer. */
export function canRetry(error: Error): boolean {
  if (error instanceof AppError && !BEFORE_AN_ANSWER.has(error.code)) return false;
  const code = codeOfCause(error);
  return UNREACHABLE.has(code) || BROKEN_CONNECTION.has(code);
}

/** Whether no connection could be had at all. */
export function isUnreachable(error: Error): boolean {
  return UNREACHABLE.has(codeOfCause(error));
}

function codeOfCause(error: Error): string {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof Error ? codeOf(cause) : "";
}

/** A 101, or a 100 without its end: undici takes neither, and says so in the text of its error alone. */
function isUnaskedFor(error: Error, code: string): boolean {
  return code === "UND_ERR_SOCKET" && /^bad (?:response|upgrade)$/.test(error.message);
}

function upstreamError(code: ErrorCode, message: string, cause: Error): AppError {
  return new AppError(code, message, { cause });
}

function codeOf(error: Error): string {
  const own = systemErrorCode(error);
  if (own) return own;
  if (error instanceof AggregateError) {
    const first: unknown = error.errors[0];
    return systemErrorCode(first) ?? "unknown reason";
  }
  return (
    systemErrorCode(error.cause) ?? (/certificate|TLS|SSL/i.test(messageOf(error)) ? "TLS" : "unknown reason")
  );
}
