import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser, type SseEvent, SseEventTooLargeError } from "../../src/sse/parse.ts";
import { serializeEvent } from "../../src/sse/serialize.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function parseAll(chunks: readonly Uint8Array[], limit?: number): SseEvent[] {
  const parser = createSseParser(limit);
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

const parseText = (text: string) => parseAll([bytes(text)]);

describe("5e.70 SSE parse", () => {
  it.each([
    ["LF", "\n"],
    ["CR", "\r"],
    ["CRLF", "\r\n"],
  ])("ends lines with %s", (_, newline) => {
    const text = ["event: a", "data: 1", "", "data: 2", "", ""].join(newline);
    expect(parseText(text)).toEqual([
      { event: "a", data: "1" },
      { event: "message", data: "2" },
    ]);
  });

  it("sees one line end in a CRLF cut in two", () => {
    expect(parseAll([bytes("data: 1\r"), bytes("\n\r"), bytes("\ndata: 2\r\n\r\n")])).toEqual([
      { event: "message", data: "1" },
      { event: "message", data: "2" },
    ]);
  });

  it("sees one line end in a CRLF with an empty chunk inside", () => {
    expect(parseAll(["data: 1\r", "", "\ndata: 2\n\n"].map(bytes))).toEqual([
      { event: "message", data: "1\n2" },
    ]);
  });

  it("takes a line feed for an end of its own where no carriage return came right before it", () => {
    const data = (...chunks: string[]) => parseAll(chunks.map(bytes)).map((event) => event.data);
    expect(data("data: 1\r\rdata: 2", "\n\ndata: 3\n\n")).toEqual(["1", "2", "3"]);
    expect(data("data: 1\r\n", "\ndata: 2\n\n")).toEqual(["1", "2"]);
    expect(data("data: 1\r", "\ndata: 2\n\n")).toEqual(["1\n2"]);
  });

  it("strips a byte order mark, wherever its bytes are cut", () => {
    const stream = bytes("\uFEFFdata: x\n\n");
    for (const cut of [0, 1, 2, 3])
      expect(parseAll([stream.subarray(0, cut), stream.subarray(cut)])).toEqual([
        { event: "message", data: "x" },
      ]);
  });

  it("ignores comments, id and retry, and unknown fields", () => {
    expect(parseText(": hello\n\nid: 3\nretry: 10\nfoo: bar\ndata: x\n\n")).toEqual([
      { event: "message", data: "x" },
    ]);
  });

  it("keeps the id of the last event that had one", () => {
    const parser = createSseParser();
    const idAfter = (text: string) => {
      parser.push(bytes(text));
      return parser.lastEventId;
    };
    expect(idAfter("data: 1\n\n")).toBeUndefined();
    expect(idAfter("id: 7\ndata: 2\n\n")).toBe("7");
    expect(idAfter("idle: 1\n: id: 2\ndata: id: 3\n\n")).toBe("7");
    expect(idAfter("id:8\ndata: 4\n\n")).toBe("8");
    expect(idAfter("id:  9 \ndata: 5\n\n")).toBe(" 9 ");
    expect(idAfter("id:\ndata: 6\n\n")).toBe("");
    expect(idAfter("id: 10\ndata: 7\n\n")).toBe("10");
    expect(idAfter("id\ndata: 8\n\n")).toBe("");
  });

  it("takes the id of an event only when the event is whole", () => {
    const parser = createSseParser();
    parser.push(bytes("id: 1\ndata: 1\n\nid: 2\ndata: 2\n"));
    expect(parser.lastEventId).toBe("1");
    parser.push(bytes("\n"));
    expect(parser.lastEventId).toBe("2");
  });

  it("keeps the last valid time after which the stream may be opened again", () => {
    const parser = createSseParser();
    const retryAfter = (value: string) => {
      parser.push(bytes(`retry:${value}\n\n`));
      return parser.retryMs;
    };
    for (const value of ["", " ", " soon", " 1s", " x1", " -1", " 1.5", " 1e3", " 1 2", " 1234567890"])
      expect([value, retryAfter(value)]).toEqual([value, undefined]);
    expect(retryAfter(" 10")).toBe(10);
    expect(retryAfter("250")).toBe(250);
    expect(retryAfter(" never")).toBe(250);
    expect(retryAfter(" 999999999")).toBe(999_999_999);
    parser.push(bytes("retrying: 5\ndata: retry: 5\n\n"));
    expect(parser.retryMs).toBe(999_999_999);
  });

  it("joins several data lines", () => {
    expect(parseText("data: {\ndata: }\ndata\n\n")).toEqual([{ event: "message", data: "{\n}\n" }]);
  });

  it("takes one space after the colon away and no more", () => {
    expect(parseText("data:x\n\ndata:  y\n\n").map((event) => event.data)).toEqual(["x", " y"]);
    expect(parseText("event:a\ndata:x\n\nevent:  b\ndata:y\n\n").map(({ event }) => event)).toEqual([
      "a",
      " b",
    ]);
  });

  it("forgets a name that is taken back by a field without a value", () => {
    expect(parseText("event: a\nevent\ndata: x\n\n")).toEqual([{ event: "message", data: "x" }]);
    expect(parseText("event: a\nevents\nevent-b\ndata: x\n\n")).toEqual([{ event: "a", data: "x" }]);
  });

  it("takes a byte order mark away at the stream's beginning alone", () => {
    const mark = "\uFEFF";
    expect(parseText(`data: ${mark}x\n\n`)).toEqual([{ event: "message", data: `${mark}x` }]);
    expect(parseText(`${mark}${mark}data: x\n\n`)).toEqual([]);
    expect(parseAll([bytes("data: 1\n\n"), bytes(`${mark}data: 2\n\n`)])).toEqual([
      { event: "message", data: "1" },
    ]);
  });

  it("gives a line up as soon as it is too long, its end still to come", () => {
    const parser = createSseParser(10);
    expect(parser.push(bytes("data: 1234"))).toEqual([]);
    const error = {
      name: "SseEventTooLargeError",
      message: "An event of the stream is larger than 10 characters.",
    };
    expect(() => parser.push(bytes("5"))).toThrow(expect.objectContaining(error));
  });

  it("keeps an event that is just as large as it may be", () => {
    expect(parseAll([bytes(`data: ${"x".repeat(94)}`)], 100)).toEqual([
      { event: "message", data: "x".repeat(94) },
    ]);
    expect(parseAll([bytes("data: 1234\ndata: 56789\n\n")], 10)).toEqual([
      { event: "message", data: "1234\n56789" },
    ]);
    expect(() => parseAll([bytes("data: 1234\ndata: 567890\n\n")], 10)).toThrow(
      "An event of the stream is larger than 10 characters.",
    );
  });

  it("begins anew after its end", () => {
    const parser = createSseParser();
    parser.push(bytes("event: a\ndata: 1"));
    expect(parser.end()).toEqual([{ event: "a", data: "1" }]);
    expect(parser.end()).toEqual([]);
    expect(parser.push(bytes("data: 2\n\n"))).toEqual([{ event: "message", data: "2" }]);
  });

  it("gives no event for a name without data, and forgets the name", () => {
    expect(parseText("event: a\n\ndata: x\n\n")).toEqual([{ event: "message", data: "x" }]);
  });

  it("gives the last event without a blank line", () => {
    expect(parseText("data: 1\n\ndata: [DONE]")).toEqual([
      { event: "message", data: "1" },
      { event: "message", data: "[DONE]" },
    ]);
  });

  it("caps an event's size, in one line or many", () => {
    expect(() => parseAll([bytes(`data: ${"x".repeat(200)}`)], 100)).toThrow(SseEventTooLargeError);
    expect(() => parseAll([bytes("data: 12345678\n".repeat(20))], 100)).toThrow(SseEventTooLargeError);
  });

  it("reads the same wherever the bytes are cut, also inside a character", () => {
    const line = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("é🙂", "", "a:b", "漢字"));
    const stream = fc.array(fc.record({ event: fc.constantFrom(undefined, "ping"), data: line }), {
      maxLength: 6,
    });
    const newline = fc.constantFrom("\n", "\r", "\r\n");
    fc.assert(
      fc.property(stream, newline, fc.array(fc.nat(), { maxLength: 8 }), (events, end, cuts) => {
        const text = events
          .map(({ event, data }) => serializeEvent(data.replaceAll(/[\r\n]/g, ""), event))
          .join("")
          .replaceAll("\n", end);
        const all = bytes(text);
        const positions = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
        const chunks = positions.slice(1).map((position, index) => all.subarray(positions[index], position));
        expect(parseAll(chunks)).toEqual(parseAll([all]));
        expect(parseAll([...all].map((byte) => Uint8Array.of(byte)))).toEqual(parseAll([all]));
      }),
      { numRuns: 200 },
    );
  });
});

describe("serializeEvent", () => {
  it("is read back as it was written, line feeds too", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("\r")),
        (data) => {
          expect(parseText(serializeEvent(data, "a"))).toEqual([{ event: "a", data }]);
        },
      ),
    );
  });
});
