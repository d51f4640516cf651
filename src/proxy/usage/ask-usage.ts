import type { UpstreamConfig } from "../../config/proxy/config.ts";

/** Upstreams that have rejected `stream_options`. */
const refusing = new WeakSet<UpstreamConfig>();

/**
 * Returns the body of a streamed chat-completions request with `stream_options.include_usage`, without which many
 * vendors report no usage in a stream. Returns undefined if the body contains `stream_options`, if the upstream has
 * rejected them, or if the body contains no object.
 */
export function withUsageOption(body: Buffer, upstream: UpstreamConfig): Buffer | undefined {
  const open = body.indexOf(0x7b);
  if (open < 0 || refusing.has(upstream) || body.includes('"stream_options"')) return undefined;
  return Buffer.concat([body.subarray(0, open + 1), ASKED, body.subarray(open + 1)]);
}

const ASKED = Buffer.from('"stream_options":{"include_usage":true},');

/**
 * Returns whether an error response is about `stream_options`. If it is, `withUsageOption` no longer adds them for this
 * upstream.
 */
export function refusesUsage(upstream: UpstreamConfig, status: number, body: Buffer): boolean {
  if ((status !== 400 && status !== 422) || !body.includes("stream_options")) return false;
  refusing.add(upstream);
  return true;
}

const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Removes the chunk with usage from a stream whose client did not request it. Delays each event until it is complete.
 */
export class UsageChunkFilter {
  private rest: Buffer = NOTHING;

  /** Returns the bytes to forward. */
  push(bytes: Buffer): Buffer {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const end = findEventsEnd(all);
    this.rest = all.subarray(end);
    return withoutUsage(all.subarray(0, end));
  }

  /** Returns the remaining bytes at the end of the stream; empty if they are the chunk with usage. */
  end(): Buffer {
    const rest = this.rest;
    this.rest = NOTHING;
    return isUsageChunk(rest) ? NOTHING : rest;
  }
}

/** Returns the index after the last empty line, where the last complete event ends. */
function findEventsEnd(bytes: Buffer): number {
  for (let at = bytes.lastIndexOf(LINE_END); at > 0; at = bytes.lastIndexOf(LINE_END, at - 1)) {
    const before = bytes[at - 1] === 0x0d ? bytes[at - 2] : bytes[at - 1];
    if (before === LINE_END) return at + 1;
  }
  return 0;
}

function withoutUsage(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf('"usage"');
  // Most chunks contain no usage.
  if (at < 0 || bytes.indexOf('"choices"') < 0) return bytes;
  const kept: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = findFirstEventEnd(bytes, start);
    const event = bytes.subarray(start, end);
    if (!isUsageChunk(event)) kept.push(event);
    start = end;
  }
  return Buffer.concat(kept);
}

function findFirstEventEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(LINE_END, start); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) {
    const next = bytes[at + 1] === 0x0d ? at + 2 : at + 1;
    if (bytes[next] === LINE_END) return next + 1;
  }
  return bytes.length;
}

/**
 * Returns whether an event has `choices: []` and a usage object. The first chunk of Azure also has no choices, but it
 * has filter results instead of usage.
 */
function isUsageChunk(event: Buffer): boolean {
  const text = event.toString("latin1");
  return /"choices"\s*:\s*\[\s*\]/.test(text) && /"usage"\s*:\s*\{/.test(text);
}
