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

/** The largest answer in one piece that is read: images come inside. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Errors are read only as far as anybody will. */
const maxErrorBytes = 1024 * 1024;

/** What a model's answer, or an event of it, may hold. */
export const RESPONSE_BOUNDS: JsonBounds = { values: 200_000, depth: 256 };
/** With the probabilities of up to 20 tokens for each token of an answer. */
const LOGPROBS_BOUNDS: JsonBounds = { ...RESPONSE_BOUNDS, values: 2_000_000 };
/** Bytes of a text that has no more values than can be read in a moment, whatever it holds. */
const UNCOUNTED = 64 * 1024;

/** What an upstream's body turns out to be, whatever its content type says. */
export type Shape = "json" | "events" | "html" | "empty";

/** A body whose first bytes have been looked at. */
export interface LookedAt {
  readonly shape: Shape;
  /** The whole body, the first bytes included. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Tells a body's shape by its first character that is no white space. */
export async function lookAt(body: AsyncIterable<Uint8Array>): Promise<LookedAt> {
  const iterator = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (;;) {
    const step = await iterator.next();
    if (step.done === true) return { shape: "empty", body: withFirst(first, iterator) };
    first.push(step.value);
    const character = firstCharacter(step.value);
    if (character !== undefined) return { shape: shapeOf(character), body: withFirst(first, iterator) };
  }
}

/** The first byte that is neither white space nor of a byte order mark. */
function firstCharacter(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
}

function shapeOf(character: number): Shape {
  const text = String.fromCharCode(character);
  if (text === "{" || text === "[") return "json";
  return text === "<" ? "html" : "events";
}

/** The same chunks from the start. A generator would do, and make every chunk of a stream wait three turns longer. */
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

/** What the answer to a request may hold. */
export function getResponseBounds({ sampling }: ExchangeRequest): JsonBounds {
  return sampling.logprobs === true || sampling.topLogprobs !== undefined ? LOGPROBS_BOUNDS : RESPONSE_BOUNDS;
}

/**
 * A body in one piece as JSON. Throws `DialectError` (502) where it is none, or exceeds the bounds: those of a model's answer
 * unless given.
 */
export async function readResponseJson(
  body: AsyncIterable<Uint8Array>,
  bounds: JsonBounds = RESPONSE_BOUNDS,
  onLength?: (length: number) => void,
): Promise<unknown> {
  const text = await readText(body, MAX_RESPONSE_BYTES, bounds);
  if (text === undefined) throw createTooLargeError();
  onLength?.(text.length);
  await turnIfLarge(text.length);
  if (!/\S/.test(text)) throw invalidResponse("The upstream's answer is empty.");
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch {
    throw invalidResponse("The upstream's answer is no JSON.");
  }
  await turnIfLarge(text.length);
  return parsed;
}

/** An error's body: JSON where it is, else its few words; gateways put HTML in its place, which is nothing. */
export async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = await readText(body, maxErrorBytes, RESPONSE_BOUNDS).catch(() => undefined);
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    const content = text?.trim() ?? "";
    return content.length < 1_000 && !content.startsWith("<") ? { error: { message: content } } : undefined;
  }
}

async function readText(
  body: AsyncIterable<Uint8Array>,
  most: number,
  bounds: JsonBounds,
): Promise<string | undefined> {
  const counter = new JsonCounter(bounds);
  let uncounted: Uint8Array[] = [];
  const bytes = await readWhole(body, most, (chunk, size) => {
    uncounted.push(chunk);
    if (size <= UNCOUNTED) return;
    for (const each of uncounted) {
      const excess = counter.push(each);
      if (excess) throw createExcessError(excess, bounds);
    }
    uncounted = [];
  });
  await turnIfLarge(bytes?.length ?? 0);
  return bytes?.toString();
}

/** Reads the events of an upstream's stream. Its methods throw `DialectError` (502) where an event exceeds a bound. */
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
      throw invalidResponse(`The upstream's stream cannot be read. ${error.message}`);
    }
    for (const { data } of events) {
      if (data.length <= UNCOUNTED) continue;
      const excess = new JsonCounter(RESPONSE_BOUNDS).push(Buffer.from(data));
      if (excess) throw createExcessError(excess, RESPONSE_BOUNDS);
    }
    return events;
  }
}

/** For a body of more bytes than are read (502). */
export function createTooLargeError(): DialectError {
  return invalidResponse("The upstream's answer is too large.");
}

function createExcessError(excess: JsonExcess, bounds: JsonBounds): DialectError {
  return invalidResponse(`The upstream's answer ${describeExcess(excess, bounds)}.`);
}
