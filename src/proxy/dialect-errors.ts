import { AppError } from "../errors.ts";
import { codecs } from "./codecs.ts";
import { DialectError } from "./exchange/dialect-error.ts";
import { kindOfStatus } from "./exchange/error-status.ts";
import { isObject } from "./exchange/json.ts";
import type { Dialect } from "./exchange/parts.ts";

/** Envelopes: a client dialect, or `plain` for `{error}`. */
export type ErrorDialect = Dialect | "plain";

export interface Fault {
  readonly status: number;
  readonly message: string;
  /** A code of our catalogue; `model_not_found` and the like reach the client. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** What an error tells a client; a defect of ours tells nothing of itself. */
export function faultOf(error: unknown): Fault {
  if (error instanceof DialectError) {
    const { status, message, retryAfterSeconds } = error.error;
    return { status, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
  if (!(error instanceof AppError) || error.code === "internal")
    return { status: 500, message: "Internal error of the proxy", code: "internal" };
  const status = error.code === "client_gone" ? 400 : error.status;
  const retry = error.code === "overloaded" ? { retryAfterSeconds: 1 } : {};
  return { status, message: error.message, code: error.code, ...retry };
}

/** The body of a fault in a client's dialect. */
export function encodeFault(dialect: ErrorDialect, fault: Fault, requestId: string): string {
  return JSON.stringify(envelope(dialect, fault, requestId));
}

/** A fault in the middle of an event stream as the dialect's own last event. */
export function encodeFaultEvent(dialect: ErrorDialect, fault: Fault, requestId: string): string {
  const body = envelope(dialect, fault, requestId);
  if (dialect === "messages") return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  if (dialect === "responses") {
    const event = { type: "error", code: fault.code ?? "server_error", message: fault.message, param: null };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return `data: ${JSON.stringify(body)}\n\n`;
}

/** What the dialect's codec makes of it, and our own code, which clients of the proxy go by. */
function envelope(dialect: ErrorDialect, fault: Fault, requestId: string): unknown {
  const { status, message, code } = fault;
  if (dialect === "plain") return { error: message };
  // Refusals of the OpenAI family look alike on all its routes.
  const codec = codecs[dialect === "responses" ? "chat-completions" : dialect];
  const { body } = codec.encodeError({ kind: kindOfStatus(status), status, message }, requestId);
  if (dialect === "generative-language" || !isObject(body) || !isObject(body["error"])) return body;
  // Messages has no codes, but for a model that is not there clients have to be told.
  const told = dialect === "messages" ? (code === "model_not_found" ? { code } : {}) : { code: code ?? null };
  return { ...body, error: { ...body["error"], ...told } };
}
