import type { IncomingHttpHeaders } from "node:http";
import { codingOf } from "../body/content-coding.ts";
import { endsValue } from "../body/json-bytes.ts";
import type { RelayTask } from "./relay-task.ts";

/** Whether an answer of this content type can be one to such a call. */
export function isExpected(kind: RelayTask["kind"], type: string): boolean {
  if (type === "application/json" || type === "text/event-stream") return true;
  if (kind === "media") return !/^text\/html\b/i.test(type);
  return type === "" || /^(?:application\/(?:[\w.+-]*\+)?json|text\/event-stream)\b/i.test(type);
}

/** Whether these are events, which nobody may keep waiting. */
export function isEventStream(type: string): boolean {
  return type !== "application/json" && /^text\/event-stream\b/i.test(type);
}

/** The same head without a coding that is none. */
export function withoutIdentity(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const coding = headers["content-encoding"];
  if (coding === undefined || codingOf(coding) !== undefined) return headers;
  const { "content-encoding": _, ...plain } = headers;
  return plain;
}

/** What is wrong with a whole answer, in words that follow the upstream's name; undefined where nothing is. */
export function problemIn(
  body: Buffer,
  kind: RelayTask["kind"],
  coding: string | undefined,
): string | undefined {
  if (body.length === 0) return "answered with nothing";
  if (kind === "model" && coding === undefined && !endsValue(body)) return "answered with half a reply";
  return codingOf(coding) === "gzip" && !isGzip(body) ? "answered in another coding than it says" : undefined;
}

/** RFC 1952, section 2.3.1. */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}
