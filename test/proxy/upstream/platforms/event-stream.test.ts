import { afterEach, describe, expect, it, vi } from "vitest";
import {
  EventStreamDecoder,
  encodeStreamMessage,
} from "../../../../src/proxy/upstream/platforms/event-stream.ts";

const MIB = 1024 * 1024;
const headers = { ":event-type": "chunk" };
const encode = (payload: Buffer) => encodeStreamMessage({ headers, payload });

afterEach(() => {
  vi.restoreAllMocks();
});

/** Decodes a stream that arrives in pieces of the same length. */
function decodeInPieces(bytes: Buffer, length: number) {
  const decoder = new EventStreamDecoder();
  const messages = [];
  for (let at = 0; at < bytes.length; at += length)
    messages.push(...decoder.push(bytes.subarray(at, at + length)));
  return { messages, isComplete: decoder.isComplete };
}

describe("the decoder of AWS's event streams", () => {
  it.each([1, 2, 11, 12, 13, 100, 1_000])("returns the same messages in pieces of %d bytes", (length) => {
    const payloads = ["", "a", "b".repeat(300), "", "c".repeat(12)].map((text) => Buffer.from(text));
    const { messages, isComplete } = decodeInPieces(Buffer.concat(payloads.map(encode)), length);
    expect(messages).toEqual(payloads.map((payload) => ({ headers, payload })));
    expect(isComplete).toBe(true);
  });

  it.each([1_000, 16_384, 65_536])("copies each byte at most twice in pieces of %d bytes", (length) => {
    const payloads = [20 * MIB, 5, 2 * MIB].map((size) => Buffer.alloc(size, "x"));
    const bytes = Buffer.concat(payloads.map(encode));
    const concat = vi.spyOn(Buffer, "concat");
    const { messages } = decodeInPieces(bytes, length);
    expect(messages.map(({ payload }) => payload.length)).toEqual(payloads.map((payload) => payload.length));
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    expect(copied).toBeLessThanOrEqual(2 * bytes.length);
  });

  it("detects a truncated stream, and rejects a wrong prelude as soon as it has arrived", () => {
    const message = encode(Buffer.from("text"));
    for (const end of [1, 12, message.length - 1])
      expect(decodeInPieces(message.subarray(0, end), 5).isComplete).toBe(false);
    const decoder = new EventStreamDecoder();
    const wrong = Buffer.from(message.subarray(0, 12));
    wrong.writeUInt32BE(20 * MIB, 0);
    decoder.push(wrong.subarray(0, 6));
    expect(() => decoder.push(wrong.subarray(6))).toThrow("invalid checksum");
  });
});
