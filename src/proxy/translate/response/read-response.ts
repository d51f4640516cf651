import {
  describeExcess,
  type JsonBounds,
  JsonCounter,
  type JsonExcess,
  turnIfLarge,
} from "../../../json/bounds.ts";
import { createSseParser, type SseEvent, SseEventTooLargeError, type SseParser } from "../../../sse/parse.ts";
import { readWhole } from "../../body/read-whole.ts";
import { type DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { parseJson } from "../../exchange/json.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { LARGE_JSON, parseLargeJson } from "../large-json.ts";

/**
 * Maximum bytes of an upstream's response, which may contain images. A stream that is relayed from a single call has no
 * maximum.
 */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of an error body. */
const maxErrorBytes = 1024 * 1024;

/** Bounds of a response or of one of its events. */
export const RESPONSE_BOUNDS: JsonBounds = { values: 130_000, depth: 256 };
/** Bounds of a response with the log probabilities of up to 20 tokens for each of its tokens. */
const LOGPROBS_BOUNDS: JsonBounds = { ...RESPONSE_BOUNDS, values: 2_000_000 };
/** Maximum bytes of a text whose values are not counted, because it is parsed quickly regardless of its content. */
const UNCOUNTED = 64 * 1024;

/** The form of an upstream's body, regardless of its content type. */
export type Shape = "json" | "events" | "html" | "empty";

/** A body whose first bytes have been inspected. */
export interface LookedAt {
  readonly shape: Shape;
  /** The complete body, including the first bytes. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Determines a body's form from its first character that is not whitespace. */
export async function lookAt(body: AsyncIterable<Uint8Array>): Promise<LookedAt> {
  const iterator = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (;;) {
    const step = await iterator.next();
    if (step.done === true) return { shape: "empty", body: withFirst(first, iterator) };
    first.push(step.value);
    const character = firstCharacter(step.value);
    if (character !== undefined) return { shape: detectShape(character), body: withFirst(first, iterator) };
  }
}

/** Returns the first byte that is not whitespace and not part of a byte order mark. */
function firstCharacter(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
}

function detectShape(character: number): Shape {
  const text = String.fromCharCode(character);
  if (text === "{" || text === "[") return "json";
  return text === "<" ? "html" : "events";
}

/**
 * Returns the chunks in `first` followed by the rest of the body. The result is not an async generator, which would
 * delay every chunk by three microtasks.
 */
function withFirst(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  let skipped = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      const value = first[skipped];
      if (value === undefined) return rest.next();
      skipped += 1;
      return Promise.resolve({ done: false, value });
    },
    return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Returns the bounds of the response to a request. */
export function getResponseBounds({ sampling }: ExchangeRequest): JsonBounds {
  return sampling.logprobs === true || sampling.topLogprobs !== undefined ? LOGPROBS_BOUNDS : RESPONSE_BOUNDS;
}

/**
 * Reads a complete JSON body. Throws `DialectError` (502) if the body is empty, is not JSON, or exceeds
 * `MAX_RESPONSE_BYTES` or the bounds, which by default are those of a model's response. `onLength` receives the length
 * in bytes.
 */
export async function readResponseJson(
  body: AsyncIterable<Uint8Array>,
  bounds: JsonBounds = RESPONSE_BOUNDS,
  onLength?: (length: number) => void,
): Promise<unknown> {
  const bytes = await readBytes(body, MAX_RESPONSE_BYTES, bounds);
  if (bytes === undefined) throw createTooLargeError();
  onLength?.(bytes.length);
  await turnIfLarge(bytes.length);
  if (firstCharacter(bytes) === undefined) throw invalidResponse("The upstream's response is empty.");
  let parsed: unknown;
  try {
    parsed =
      bytes.length > LARGE_JSON ? await parseLargeJson(bytes, { fatal: false }) : parseJson(bytes.toString());
  } catch {
    throw invalidResponse("The upstream's response is not JSON.");
  }
  await turnIfLarge(bytes.length);
  return parsed;
}

/**
 * Reads the body of an error. A short text becomes the message of a JSON error. Returns undefined for a body that is
 * neither JSON nor a short text, such as a gateway's HTML page, and for a body that cannot be read completely.
 */
export async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const bytes = await readBytes(body, maxErrorBytes, RESPONSE_BOUNDS).catch(() => undefined);
  const text = bytes?.toString();
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    const content = text?.trim() ?? "";
    return content.length < 1_000 && !content.startsWith("<") ? { error: { message: content } } : undefined;
  }
}

async function readBytes(
  body: AsyncIterable<Uint8Array>,
  max: number,
  bounds: JsonBounds,
): Promise<Buffer | undefined> {
  const counter = new JsonCounter(bounds);
  let uncounted: Uint8Array[] = [];
  const bytes = await readWhole(body, max, (chunk, size) => {
    uncounted.push(chunk);
    if (size <= UNCOUNTED) return;
    for (const each of uncounted) {
      const excess = counter.push(each);
      if (excess) throw createExcessError(excess, bounds);
    }
    uncounted = [];
  });
  await turnIfLarge(bytes?.length ?? 0);
  return bytes;
}

/** Reads the events of an upstream's stream. Both methods throw `DialectError` (502) if an event exceeds a bound. */
export class EventReader {
  private readonly parser: SseParser = createSseParser();

  push(bytes: Uint8Array): readonly SseEvent[] {
    return this.checked(() => this.parser.push(bytes));
  }

  end(): readonly SseEvent[] {
    return this.checked(() => this.parser.end());
  }

  private checked(read: () => readonly SseEvent[]): readonly SseEvent[] {
    let events: readonly SseEvent[];
    try {
      events = read();
    } catch (error) {
      if (!(error instanceof SseEventTooLargeError)) throw error;
      throw invalidResponse(`Cannot read the upstream's stream. ${error.message}`);
    }
    for (const { data } of events) {
      if (data.length <= UNCOUNTED) continue;
      const excess = new JsonCounter(RESPONSE_BOUNDS).push(Buffer.from(data));
      if (excess) throw createExcessError(excess, RESPONSE_BOUNDS);
    }
    return events;
  }
}

/** Creates the error (502) for a body that exceeds the maximum size. */
export function createTooLargeError(): DialectError {
  return invalidResponse("The upstream's response is too large.");
}

function createExcessError(excess: JsonExcess, bounds: JsonBounds): DialectError {
  return invalidResponse(`The upstream's response ${describeExcess(excess, bounds)}.`);
}
