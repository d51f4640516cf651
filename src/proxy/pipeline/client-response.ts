import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../../errors.ts";
import { endEarly } from "../../http/early-response.ts";
import { decodeBody } from "../body/content-coding.ts";
import { encodeFault, faultOf } from "../dialect-errors.ts";
import { clientHeaders } from "../upstream/response-headers.ts";
import { forgetUnasked } from "./attempt-record.ts";
import { type Call, ownHeaders } from "./call.ts";

/** Answers with a fault in the client's dialect, or, where an answer has begun, breaks the connection. */
export function answerFault(call: Call, error: unknown): void {
  const fault = faultOf(error);
  call.fault ??= call.runtime.redact(error instanceof Error ? error.message : fault.message);
  forgetUnasked(call);
  call.errorCode ??= error instanceof AppError ? error.code : fault.code;
  // On record under its own status: a client that has left (499) reads no answer.
  call.status = error instanceof AppError ? error.status : fault.status;
  const retry = fault.retryAfterSeconds === undefined ? [] : ["retry-after", String(fault.retryAfterSeconds)];
  answerJson(call, fault.status, call.runtime.redact(encodeFault(call.dialect, fault, call.id)), retry);
}

/**
 * Passes an upstream's refusal on: its bytes, if they are JSON, with secrets blotted out, else a fault in the client's
 * dialect with the same status and, where they are words, with them.
 */
export async function answerRefusal(
  call: Call,
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<void> {
  const text = await decodedText(body, headers["content-encoding"]);
  const { "content-encoding": _coding, ...kept } = headers;
  call.status = status;
  call.fault = `the upstream answered ${status}`;
  call.errorCode = "upstream_error";
  if (text !== undefined && /^\s*[{[]/.test(text)) {
    const clean = call.runtime.redact(text);
    const bytes = Buffer.from(clean, "utf8");
    const list = clientHeaders(kept, ownHeaders(call), call.runtime.redact);
    call.response.writeHead(status, [...list, "content-length", String(bytes.length)]);
    call.response.end(bytes);
    return;
  }
  const said = plainWords(text, kept["content-type"]);
  const message = said ?? `The upstream ${call.upstream?.name} answered with status ${status}`;
  const passed = clientHeaders({ ...kept, "content-type": undefined }, [], call.runtime.redact);
  const fault = { status, message: call.runtime.redact(message) };
  answerJson(call, status, encodeFault(call.dialect, fault, call.id), passed);
}

/** What a refusal says that is plain text; pages tell a program nothing. */
function plainWords(text: string | undefined, type = "text/plain"): string | undefined {
  const words = text?.trim() ?? "";
  return words !== "" && /^text\/plain\b/i.test(type) ? words.slice(0, 2_000) : undefined;
}

/** One JSON answer of our own, unless another has begun: then the connection is broken. */
export function answerJson(call: Call, status: number, body: string, headers: readonly string[] = []): void {
  const { response } = call;
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const list = [...ownHeaders(call), ...headers, "content-type", "application/json; charset=utf-8"];
  list.push("content-length", String(Buffer.byteLength(body)), "x-content-type-options", "nosniff");
  // What is left of an unread body is not waited for.
  if (!call.request.complete) list.push("connection", "close");
  response.writeHead(status, list);
  endEarly(call.request, response, body);
}

/** A small body as text; undefined where its coding is unknown or a lie. */
async function decodedText(body: Buffer, coding: string | undefined): Promise<string | undefined> {
  try {
    return (await decodeBody(body, coding, 4 * 1024 * 1024)).toString("utf8");
  } catch {
    return undefined;
  }
}
