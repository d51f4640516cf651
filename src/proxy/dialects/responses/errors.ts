import type { ExchangeError } from "../../exchange/error.ts";
import {
  reportsContextOverflow,
  retryAfterSeconds,
  statusToKind,
  toErrorStatus,
} from "../../exchange/error-status.ts";
import { isObject, ownMember } from "../../exchange/json.ts";
import { findErrorMessage } from "../shared/error-message.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import type { WireResponse } from "./schema.ts";

/** Parses an error body of any form, because several servers send text or HTML. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const details = describe(isObject(body) && isObject(body["error"]) ? body["error"] : body);
  const message = findErrorMessage(body) ?? `The upstream responded with status ${status}.`;
  const retryAfter = retryAfterSeconds(headers);
  return {
    kind: classifyError(status, message, details.code, details.type),
    status,
    message,
    ...withoutNullish({
      code: details.code ?? details.type,
      param: details.param,
      retryAfterSeconds: retryAfter,
    }),
    raw: body,
  };
}

/** Returns the kind of an error. The vendor's code takes precedence over the status, because it is more specific. */
function classifyError(status: number, message: string, code?: string, type?: string): ExchangeError["kind"] {
  // Servers that are compatible with OpenAI report an overflow with any status; 429 is a limit of tokens per minute.
  if (status !== 429 && reportsContextOverflow(message, code)) return "context-overflow";
  if (code === "insufficient_quota" || type === "insufficient_quota") return "quota";
  if (code === "rate_limit_exceeded") return "rate-limit";
  if (code === "server_is_overloaded" || code === "slow_down") return "overloaded";
  return statusToKind(status);
}

function describe(envelope: unknown): { code?: string; type?: string; param?: string } {
  if (!isObject(envelope)) return {};
  const text = (name: string) => {
    const value = envelope[name];
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
  };
  return withoutNullish({
    code: text("code"),
    type: text("type"),
    param: text("param"),
  });
}

/** HTTP status by error code, for failed responses that arrived with status 200. */
const statuses: Readonly<Record<string, number>> = {
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  server_is_overloaded: 503,
  slow_down: 503,
};

/** Converts the error of a failed response or an `error` event. */
export function decodeResponseError(wire: Pick<WireResponse, "error" | "status">): ExchangeError {
  const { code, message, type, param } = wire.error ?? {};
  const name = code === null || code === undefined ? (type ?? undefined) : String(code);
  const text = message ?? `The upstream's response has the status ${wire.status ?? "failed"}.`;
  const status =
    (name === undefined ? undefined : ownMember(statuses, name)) ??
    toErrorStatus(code) ??
    (type === "invalid_request_error" || reportsContextOverflow(text) ? 400 : 502);
  return {
    kind: classifyError(status, text, name, type ?? undefined),
    status,
    message: text,
    ...withoutNullish({ code: name, param }),
    raw: wire.error,
  };
}
