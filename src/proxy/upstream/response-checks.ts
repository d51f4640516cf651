import type { IncomingHttpHeaders } from "node:http";
import { parseContentCoding } from "../body/content-coding.ts";
import { endsValue } from "../body/json-bytes.ts";
import type { RelayedDialect, RelayTask, ResponseDetails } from "./relay-task.ts";

/** Returns whether a response of this kind may have this content type. */
export function isExpected(kind: RelayTask["kind"], type: string): boolean {
  if (type === "application/json" || type === "text/event-stream") return true;
  if (kind === "media") return !/^text\/html\b/i.test(type);
  return type === "" || /^(?:application\/(?:[\w.+-]*\+)?json|text\/event-stream)\b/i.test(type);
}

/** Returns whether a content type is that of an event stream. */
export function isEventStream(type: string): boolean {
  return type !== "application/json" && /^text\/event-stream\b/i.test(type);
}

/** Returns the headers without a `content-encoding` that is empty or `identity`. */
export function withoutIdentity(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const coding = headers["content-encoding"];
  if (coding === undefined || parseContentCoding(coding) !== undefined) return headers;
  const { "content-encoding": _, ...plain } = headers;
  return plain;
}

/**
 * Returns the problem with a whole response, as a phrase that follows the upstream's name; undefined if none was found.
 */
export function problemIn(
  body: Buffer,
  kind: RelayTask["kind"],
  coding: string | undefined,
): string | undefined {
  if (body.length === 0) return "returned an empty response";
  if (kind === "model" && coding === undefined && !endsValue(body)) return "returned an incomplete response";
  return parseContentCoding(coding) === "gzip" && !isGzip(body)
    ? "returned a body that does not match its content encoding"
    : undefined;
}

/** Returns whether a body begins as gzip data does (RFC 1952, section 2.3.1). */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/**
 * Returns the usage and the error of a whole response; if it has neither, a watch from which usage can be estimated.
 */
export function readDetails(
  body: Buffer,
  kind: RelayTask["kind"],
  dialect: RelayedDialect | undefined,
): ResponseDetails {
  const { usage, responseError } = dialect?.readDetails(body, kind === "model") ?? {};
  if (usage !== undefined || responseError !== undefined) return { usage, responseError };
  const watch = dialect?.createWatch();
  watch?.push(body);
  return { watch };
}
