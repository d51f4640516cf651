import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import { toErrorStatus } from "../exchange/error-status.ts";
import { isObject, tryParseJson } from "../exchange/json.ts";
import type { ResponseError } from "../upstream/relay-task.ts";
import { RESPONSE_END } from "./read-usage.ts";

/** The error markers as bytes. A quoted name cannot be part of a model's text, because JSON strings escape quotes. */
const markerBuffers = new WeakMap<ResponseProfile, readonly Buffer[]>();

function getMarkers(profile: ResponseProfile): readonly Buffer[] {
  const known = markerBuffers.get(profile);
  if (known !== undefined) return known;
  const markers = profile.errorMarkers.map((marker) => Buffer.from(marker));
  markerBuffers.set(profile, markers);
  return markers;
}

/**
 * Maximum number of markers to check. A tool's schema can contain members with the same names, and some events repeat
 * the tools, so there can be many markers.
 */
const MAX_CANDIDATES = 16;
const MAX_LINE = 256 * 1024;

/**
 * Returns the error event in a piece of an event stream, or undefined. Parses only lines that contain a marker, or that
 * follow a marker that names an event.
 */
export function errorEventIn(profile: ResponseProfile, bytes: Buffer): ResponseError | undefined {
  let candidates = 0;
  for (const marker of getMarkers(profile)) {
    let at = bytes.indexOf(marker);
    while (at >= 0 && candidates < MAX_CANDIDATES) {
      if (!isNullMember(bytes, at + marker.length)) {
        candidates += 1;
        const error = errorAt(profile, bytes, at, marker[0] !== QUOTE);
        if (error !== undefined) return error;
      }
      at = bytes.indexOf(marker, at + marker.length);
    }
  }
  return undefined;
}

/**
 * Returns the error of a complete JSON response with status 200; undefined if it is not an error or is longer than
 * `RESPONSE_END`, because errors are short. `end` is the body as returned by `decodeEnd`.
 */
export function readResponseError(
  profile: ResponseProfile,
  body: Buffer,
  end: string,
): ResponseError | undefined {
  if (body.length > RESPONSE_END) return undefined;
  const at = end.indexOf('"error"');
  if (at < 0 || /^\s*:\s*null/.test(end.slice(at + 7, at + 20))) return undefined;
  return toResponseError(profile, tryParseJson(body.toString("utf8")));
}

const QUOTE = 0x22;

function errorAt(
  profile: ResponseProfile,
  bytes: Buffer,
  at: number,
  isEventName: boolean,
): ResponseError | undefined {
  if (!isEventName)
    return toResponseError(profile, parseDataLine(lineAt(bytes, at))) ?? findListError(bytes, at);
  const before = bytes[at - 1];
  if (before !== undefined && before !== 0x0a && before !== 0x0d) return undefined;
  const data = parseDataLine(lineAt(bytes, bytes.indexOf(0x0a, at) + 1));
  return toResponseError(profile, data) ?? (data === undefined ? undefined : readDetails(data));
}

/**
 * Reads an error in a stream without `alt=sse`, which is a pretty-printed JSON array. The error is an element whose
 * first member is `error` with a code.
 */
function findListError(bytes: Buffer, at: number): ResponseError | undefined {
  const before = bytes.toString("latin1", Math.max(0, at - 64), at);
  const after = bytes.toString("utf8", at, at + 2_048);
  if (!/[[,]\s*\{\s*$/.test(before)) return undefined;
  const code = /^"error"\s*:\s*\{\s*"code"\s*:\s*(\d{3})\b/.exec(after)?.[1];
  if (code === undefined) return undefined;
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(after)?.[1];
  return { status: Number(code), message: message && String(tryParseJson(message)) };
}

function lineAt(bytes: Buffer, at: number): string {
  const start = Math.max(bytes.lastIndexOf(0x0a, at), bytes.lastIndexOf(0x0d, at)) + 1;
  const end = bytes.subarray(at, at + MAX_LINE).findIndex((byte) => byte === 0x0a || byte === 0x0d);
  return bytes.toString("utf8", start, end < 0 ? Math.min(bytes.length, at + MAX_LINE) : at + end);
}

function parseDataLine(line: string): unknown {
  return line.startsWith("data:") ? tryParseJson(line.slice(5)) : undefined;
}

function toResponseError(profile: ResponseProfile, value: unknown): ResponseError | undefined {
  if (!isObject(value)) return undefined;
  const details = profile.findError(value);
  return details === undefined ? undefined : readDetails(details);
}

function readDetails(value: unknown): ResponseError {
  const holder = isObject(value) ? value : {};
  const { error } = holder;
  const details = isObject(error) ? error : holder;
  const message = typeof error === "string" ? error : details["message"];
  const { code, status, type } = details;
  return {
    status: findStatus([code, status, type, holder["type"]]),
    message: typeof message === "string" ? message : undefined,
  };
}

/** The HTTP status for each name that vendors use for an error. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|resource_exhausted|quota/i, 429],
  [/overloaded|unavailable/i, 503],
  [/authentication|unauthenticated|invalid_api_key/i, 401],
  [/billing|payment|insufficient/i, 402],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/context_length|invalid_request|invalid_argument|failed_precondition/i, 400],
  [/timeout|deadline/i, 504],
];

function findStatus(codes: readonly unknown[]): number {
  for (const value of codes) {
    const status = toErrorStatus(value);
    if (status !== undefined) return status;
    const known = typeof value === "string" && STATUSES.find(([pattern]) => pattern.test(value));
    if (known) return known[1];
  }
  return 502;
}

/** Returns whether the member whose name ends at `at` is null, like `error` in objects of the responses dialect. */
function isNullMember(bytes: Buffer, at: number): boolean {
  return /^\s{0,4}:\s{0,4}null/.test(bytes.toString("latin1", at, at + 16));
}
