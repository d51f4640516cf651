import { unreadableAnswer } from "../exchange/dialect-error.ts";
import { parseJson } from "../exchange/json.ts";

/** The largest answer in one piece that is read: images come inside. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** Errors are read only as far as anybody will. */
const maxErrorBytes = 1024 * 1024;

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
  let told = 0;
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      const value = first[told];
      if (value === undefined) return rest.next();
      told += 1;
      return Promise.resolve({ done: false, value });
    },
    return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** A body in one piece as JSON. Throws `DialectError` (502) where it is none. */
export async function readAnswerJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = await readText(body, maxAnswerBytes);
  if (text === undefined) throw unreadableAnswer("The upstream's answer is too large.");
  if (text.trim() === "") throw unreadableAnswer("The upstream's answer is empty.");
  try {
    return parseJson(text);
  } catch {
    throw unreadableAnswer("The upstream's answer is no JSON.");
  }
}

/** An error's body: JSON where it is, else its few words; gateways put HTML in its place, which is nothing. */
export async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = await readText(body, maxErrorBytes).catch(() => undefined);
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    const words = text?.trim() ?? "";
    return words.length < 1_000 && !words.startsWith("<") ? { error: { message: words } } : undefined;
  }
}

async function readText(body: AsyncIterable<Uint8Array>, most: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
