import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import {
  kindToStatus,
  reportsContextOverflow,
  retryAfterSeconds,
  statusToKind,
  toErrorStatus,
} from "../../exchange/error-status.ts";
import { isObject, ownMember } from "../../exchange/json.ts";
import { findErrorMessage } from "../shared/error-message.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { camelKeys } from "./camel-keys.ts";
import { errorSchema } from "./schema.ts";

type Kind = ExchangeError["kind"];

/** Error kinds by Google's canonical code (https://cloud.google.com/apis/design/errors#handling_errors). */
const kinds: Readonly<Record<string, Kind>> = {
  INVALID_ARGUMENT: "invalid-request",
  FAILED_PRECONDITION: "invalid-request",
  OUT_OF_RANGE: "invalid-request",
  UNAUTHENTICATED: "authentication",
  PERMISSION_DENIED: "permission",
  NOT_FOUND: "not-found",
  ABORTED: "conflict",
  ALREADY_EXISTS: "conflict",
  RESOURCE_EXHAUSTED: "rate-limit",
  DEADLINE_EXCEEDED: "timeout",
  UNAVAILABLE: "overloaded",
  INTERNAL: "upstream",
};

/** Parses an error body, or the last element of a list of them. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const outer = Array.isArray(body) ? body.at(-1) : body;
  const parsed = errorSchema.safeParse(camelKeys(isObject(outer) ? outer["error"] : undefined), FIRST_ISSUE);
  const error = parsed.success ? parsed.data : {};
  const message = findErrorMessage(outer) ?? `The upstream responded with status ${status}.`;
  const details = error.details ?? [];
  const isKey = details.some((detail) => detail.reason === "API_KEY_INVALID");
  const quotas = details
    .flatMap((detail) => detail.violations ?? [])
    .map((violation) => violation.quotaId ?? "");
  const kind = isKey ? "authentication" : classifyError(status, error.status ?? "", message, quotas);
  const delay = details
    .map((detail) => parseSeconds(detail.retryDelay))
    .find((seconds) => seconds !== undefined);
  return {
    kind,
    status: isKey ? 401 : status,
    message,
    ...withoutNullish({ code: error.status, retryAfterSeconds: retryAfterSeconds(headers) ?? delay }),
    raw: body,
  };
}

/**
 * Parses the error in a response of status 200 or in a stream. The status is the `code` of the error or, without a
 * valid `code`, the status of the error's kind.
 */
export function decodeInnerError(body: unknown): ExchangeError {
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  const status = toErrorStatus(error["code"]);
  if (status !== undefined) return decodeError(status, {}, body);
  const decoded = decodeError(502, {}, body);
  return { ...decoded, status: kindToStatus(decoded.kind) };
}

function classifyError(status: number, code: string, message: string, quotas: readonly string[]): Kind {
  // A daily quota does not reset within the short delay of a rate limit.
  if (status === 429) return quotas.some((quota) => /PerDay/i.test(quota)) ? "quota" : "rate-limit";
  if (reportsContextOverflow(message)) return "context-overflow";
  return ownMember(kinds, code) ?? statusToKind(status);
}

/** Returns a duration such as `34.4s` in whole seconds, rounded up; undefined if it is invalid. */
function parseSeconds(delay: string | null | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds));
}
