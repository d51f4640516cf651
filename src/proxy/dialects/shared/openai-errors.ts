import type { EncodedError } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import type { ExchangeError } from "../../exchange/error.ts";
import { isContextOverflow, kindOfStatus, retryAfterSeconds } from "../../exchange/error-status.ts";
import { isObject } from "../../exchange/json.ts";
import { errorWords } from "./error-words.ts";

type Kind = ExchangeError["kind"];

/** `error.type` per kind (https://platform.openai.com/docs/guides/error-codes). */
const types: Record<Kind, string> = {
  "invalid-request": "invalid_request_error",
  authentication: "authentication_error",
  billing: "insufficient_quota",
  permission: "permission_error",
  "not-found": "invalid_request_error",
  timeout: "timeout_error",
  conflict: "conflict_error",
  "too-large": "invalid_request_error",
  unprocessable: "invalid_request_error",
  "context-overflow": "invalid_request_error",
  "rate-limit": "rate_limit_error",
  quota: "insufficient_quota",
  overloaded: "server_error",
  upstream: "server_error",
  internal: "server_error",
};

const codes: Partial<Record<Kind, string>> = {
  authentication: "invalid_api_key",
  "not-found": "model_not_found",
  "context-overflow": "context_length_exceeded",
  "rate-limit": "rate_limit_exceeded",
  quota: "insufficient_quota",
};

/** Reads a refusal: `{error: {message, type, code, param}}`, or whatever compatible servers put in its place. */
export function decodeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): ExchangeError {
  const outer = Array.isArray(body) ? body[0] : body;
  const error = isObject(outer) && isObject(outer["error"]) ? outer["error"] : isObject(outer) ? outer : {};
  const message = errorWords(outer) ?? `The upstream answered ${status}.`;
  const code = [error["code"], error["type"]].find((value) => typeof value === "string" && value !== "");
  return defined({
    kind: kindOf(status, message, typeof code === "string" ? code : undefined),
    status,
    message,
    code: typeof code === "string" ? code : undefined,
    param: typeof error["param"] === "string" ? error["param"] : undefined,
    retryAfterSeconds: retryAfterSeconds(headers),
    raw: body,
  });
}

function kindOf(status: number, message: string, code: string | undefined): Kind {
  if ((status === 400 || status === 413) && isContextOverflow(message, code)) return "context-overflow";
  if (code === "insufficient_quota") return "quota";
  if (code === "rate_limit_exceeded" || code === "rate_limit_error") return "rate-limit";
  return kindOfStatus(status);
}

/** An error as clients of the OpenAI family know it. */
export function encodeError(error: ExchangeError): EncodedError {
  const { kind, message, param } = error;
  // A vendor's own code would mean something else here, so only what the kind stands for is told.
  return {
    status: error.status === 529 ? 503 : error.status,
    headers: error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) },
    body: { error: { message, type: types[kind], param: param ?? null, code: codes[kind] ?? null } },
  };
}
