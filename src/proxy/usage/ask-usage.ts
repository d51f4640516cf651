import type { UpstreamConfig } from "../../config/proxy/config.ts";

/** Upstreams that refuse `stream_options`. */
const refusing = new WeakSet<UpstreamConfig>();

/**
 * Returns a streamed chat request with `stream_options.include_usage`, without which vendors of this dialect count
 * nothing in a stream; undefined where the client says something of its own there, or the upstream does not take it.
 */
export function withUsageAsked(body: Buffer, upstream: UpstreamConfig): Buffer | undefined {
  const open = body.indexOf(0x7b);
  if (open < 0 || refusing.has(upstream) || body.includes('"stream_options"')) return undefined;
  return Buffer.concat([body.subarray(0, open + 1), ASKED, body.subarray(open + 1)]);
}

const ASKED = Buffer.from('"stream_options":{"include_usage":true},');

/** Returns whether a refusal is about `stream_options`; the upstream is then not asked again. */
export function refusesUsage(upstream: UpstreamConfig, status: number, body: Buffer): boolean {
  if ((status !== 400 && status !== 422) || !body.includes("stream_options")) return false;
  refusing.add(upstream);
  return true;
}

const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Leaves the chunk that tells usage out of a stream whose client did not ask for it. Events go on as they are whole. */
export class UsageChunkFilter {
  private rest: Buffer = NOTHING;

  /** Returns what goes on of the bytes so far. */
  push(bytes: Buffer): Buffer {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const end = endOfEvents(all);
    this.rest = all.subarray(end);
    return withoutUsage(all.subarray(0, end));
  }

  /** Returns what is left at the stream's end. */
  end(): Buffer {
    const rest = this.rest;
    this.rest = NOTHING;
    return isUsageChunk(rest) ? NOTHING : rest;
  }
}

/** Behind the last empty line. */
function endOfEvents(bytes: Buffer): number {
  for (let at = bytes.lastIndexOf(LINE_END); at > 0; at = bytes.lastIndexOf(LINE_END, at - 1)) {
    const before = bytes[at - 1] === 0x0d ? bytes[at - 2] : bytes[at - 1];
    if (before === LINE_END) return at + 1;
  }
  return 0;
}

function withoutUsage(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf('"usage"');
  // Most packets have none, and in most that have one it is null.
  if (at < 0 || bytes.indexOf('"choices"') < 0) return bytes;
  const kept: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = endOfFirstEvent(bytes, start);
    const event = bytes.subarray(start, end);
    if (!isUsageChunk(event)) kept.push(event);
    start = end;
  }
  return Buffer.concat(kept);
}

function endOfFirstEvent(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(LINE_END, start); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) {
    const next = bytes[at + 1] === 0x0d ? at + 2 : at + 1;
    if (bytes[next] === LINE_END) return next + 1;
  }
  return bytes.length;
}

/** `choices: []` beside a usage object; Azure's first chunk has no choices either, but filters in place of usage. */
function isUsageChunk(event: Buffer): boolean {
  const text = event.toString("latin1");
  return /"choices"\s*:\s*\[\s*\]/.test(text) && /"usage"\s*:\s*\{/.test(text);
}
