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
    const text = Buffer.from(step.value)
      .toString("latin1")
      .replace(/^\xEF\xBB\xBF/, "")
      .trimStart();
    if (text !== "") return { shape: shapeOf(text), body: withFirst(first, iterator) };
  }
}

function shapeOf(text: string): Shape {
  if (text.startsWith("{") || text.startsWith("[")) return "json";
  return text.startsWith("<") ? "html" : "events";
}

async function* withFirst(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
  yield* first;
  yield* { [Symbol.asyncIterator]: () => rest };
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

/** An error's body: JSON where it is, else nothing; gateways put HTML in its place. */
export async function readErrorBody(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = await readText(body, maxErrorBytes).catch(() => undefined);
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    const isPlain = text !== undefined && text.length < 1_000 && !text.trimStart().startsWith("<");
    return isPlain ? { error: { message: text.trim() } } : undefined;
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
