import { endsValue } from "../body/json-bytes.ts";
import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import { isJson } from "../exchange/json.ts";
import type { Usage } from "../exchange/response.ts";
import type { ResponseError, ResponseSample, ResponseWatch } from "../upstream/relay-task.ts";
import { errorEventIn } from "./error-event.ts";
import { firstUsage, lastUsage, usageFrom } from "./read-usage.ts";

const HEAD = 8 * 1024;
const TAIL = 16 * 1024;

/** An end marker as bytes. */
interface EndMarker {
  readonly bytes: Buffer;
  /**
   * Whether the marker counts only as a whole line. A marker with a quote or a line ending counts anywhere: it cannot
   * be part of a model's text, because JSON strings escape both.
   */
  readonly isLine: boolean;
}

const endMarkerBytes = new WeakMap<ResponseProfile, readonly EndMarker[]>();

function getEndMarkers(profile: ResponseProfile): readonly EndMarker[] {
  const known = endMarkerBytes.get(profile);
  if (known !== undefined) return known;
  const markers = profile.endMarkers.map((marker) => ({
    bytes: Buffer.from(marker),
    isLine: !/["\r\n]/.test(marker),
  }));
  endMarkerBytes.set(profile, markers);
  return markers;
}

/**
 * Observes a stream: whether it is complete, whether it is between two events, its error and its usage. Retains the
 * last bytes and, if the dialect reports usage at the start, the first bytes. Searches them on request, and searches
 * for errors and end markers before it drops bytes.
 */
export class StreamWatch implements ResponseWatch {
  private readonly profile: ResponseProfile;
  private readonly head: Buffer[] = [];
  private headLeft: number;
  private tail: Buffer[] = [];
  private tailSize = 0;
  private endedEarlier = false;
  private errorEarlier: ResponseError | undefined;
  private size = 0;

  constructor(profile: ResponseProfile) {
    this.profile = profile;
    this.headLeft = profile.reportsUsageAtStart ? HEAD : 0;
  }

  push(chunk: Buffer): void {
    if (this.headLeft > 0) {
      this.head.push(chunk);
      this.headLeft -= chunk.length;
    }
    this.tail.push(chunk);
    this.tailSize += chunk.length;
    this.size += chunk.length;
    if (this.tailSize > 2 * TAIL) this.letGo();
  }

  /** Whether the stream contains the dialect's end marker and its last line is complete. */
  get ended(): boolean {
    const bytes = this.lastBytes();
    return (this.endedEarlier || this.hasEndMarker(bytes, bytes.length)) && isLastLineWhole(bytes);
  }

  get error(): ResponseError | undefined {
    return this.errorEarlier ?? errorEventIn(this.profile, this.lastBytes());
  }

  /** The last bytes as text, from which the output tokens are estimated. */
  get sample(): ResponseSample {
    const text = this.lastBytes().toString("utf8");
    return { text, total: Math.round((this.size * text.length) / Math.max(1, this.tailSize)) };
  }

  /** Whether the bytes so far, if they are JSON and not events, end like a complete object or array. */
  get endsValue(): boolean {
    return endsValue(this.lastBytes());
  }

  get betweenEvents(): boolean {
    return this.tailSize === 0 || endsEvent(this.lastBytes());
  }

  usage(): Usage | undefined {
    const { profile } = this;
    const last = lastUsage(profile, this.lastBytes().toString("latin1"));
    if (!profile.reportsUsageAtStart) return usageFrom(profile, last);
    const first = firstUsage(profile, Buffer.concat(this.head).toString("latin1"));
    return usageFrom(profile, first === undefined ? last : { ...Object(first), ...Object(last) });
  }

  private lastBytes(): Buffer {
    if (this.tail.length !== 1) this.tail = [Buffer.concat(this.tail)];
    return this.tail[0] ?? NOTHING;
  }

  private letGo(): void {
    const bytes = this.lastBytes();
    this.errorEarlier ??= errorEventIn(this.profile, bytes);
    // Includes a marker that begins in the dropped bytes and ends in the retained ones.
    this.endedEarlier ||= this.hasEndMarker(bytes, bytes.length - TAIL);
    this.tail = [bytes.subarray(-TAIL)];
    this.tailSize = TAIL;
  }

  /**
   * Returns whether an end marker begins at index `last` of the last bytes or before it. Searches from the end, where a
   * marker usually is.
   */
  private hasEndMarker(bytes: Buffer, last: number): boolean {
    const isStart = this.size === this.tailSize;
    return getEndMarkers(this.profile).some(({ bytes: marker, isLine }) => {
      let start = bytes.lastIndexOf(marker, last);
      while (isLine && start >= 0 && !isWholeLine(bytes, start, start + marker.length, isStart))
        start = start === 0 ? -1 : bytes.lastIndexOf(marker, start - 1);
      return start >= 0;
    });
  }
}

const NOTHING = Buffer.alloc(0);

/** Returns whether the bytes from `start` to `end` are a line. `isStart`: the first byte is the first of the stream. */
function isWholeLine(bytes: Buffer, start: number, end: number, isStart: boolean): boolean {
  const startsLine = start === 0 ? isStart : isNewline(bytes[start - 1]);
  return startsLine && (end === bytes.length || isNewline(bytes[end]));
}

function isNewline(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function endsEvent(bytes: Buffer): boolean {
  const last = bytes[bytes.length - 1];
  const before = bytes[bytes.length - 2];
  if (last === 0x0a) return before === 0x0a || (before === 0x0d && bytes[bytes.length - 3] === 0x0a);
  return last === 0x0d && before === 0x0d;
}

/** Returns whether the last line is complete. Some vendors omit its line ending. */
function isLastLineWhole(bytes: Buffer): boolean {
  const start = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
  if (start === bytes.length || bytes[start] === 0x3a) return true;
  // If the line begins before the retained bytes, only its end can be checked.
  if (start === 0 && bytes.length >= TAIL) return endsValue(bytes);
  const data = /^data: ?(.*)$/.exec(bytes.toString("utf8", start))?.[1]?.trim();
  return data === "[DONE]" || (data !== undefined && isJson(data));
}
