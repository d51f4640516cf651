import type { StreamDecoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { decodingTurns } from "./decoding-turns.ts";
import { createTooLargeError, EventReader, MAX_RESPONSE_BYTES } from "./read-response.ts";

/**
 * Yields the events of an upstream's stream as they arrive. Throws `DialectError` (502) if the stream exceeds
 * `MAX_RESPONSE_BYTES`, or if an event exceeds a bound (`EventReader`).
 */
export async function* decodeStream(
  body: AsyncIterable<Uint8Array>,
  decoder: StreamDecoder,
): AsyncGenerator<readonly ExchangeEvent[]> {
  const parser = new EventReader();
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw createTooLargeError();
    const turn = decodingTurns.take(chunk.length);
    if (turn !== undefined) await turn;
    for (const [index, event] of parser.push(chunk).entries()) {
      const pause = decodingTurns.pauseAt(index);
      if (pause !== undefined) await pause;
      yield decoder.push(event);
    }
  }
  for (const event of parser.end()) yield decoder.push(event);
  yield decoder.end();
}
