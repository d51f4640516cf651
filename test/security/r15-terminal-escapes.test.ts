import { Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOutput, withoutControls } from "../../src/cli/output.ts";
import { readableLine } from "../../src/proxy/observability/readable-line.ts";
import { recordLine } from "../../src/proxy/observability/request-log.ts";

/** Control sequences that a terminal interprets, and bidirectional control characters. */
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const ESCAPES = [
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u009b31m",
  "\r\u001b[K",
  "\b\b\b",
  "\u202egnp",
  "\u001b]8;;http://evil.test\u0007",
];

function stream(isTTY: boolean) {
  const written: string[] = [];
  const writable = new Writable({
    write: (chunk, _encoding, done) => done(void written.push(String(chunk)) as undefined),
  });
  return { written, stream: Object.assign(writable, { isTTY }) as unknown as NodeJS.WriteStream };
}

describe("R15 untrusted text in the terminal", () => {
  it("cannot control the terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...ESCAPES), (text, sequence) => {
        expect(withoutControls(`${text}${sequence}${text}`)).not.toMatch(ACTIVE);
      }),
    );
  });

  it("cannot control the terminal as a note or result; a program gets the result unchanged", async () => {
    const [terminal, pipe, notes] = [stream(true), stream(false), stream(true)];
    const text = `quoted ${ESCAPES.join("")} code`;
    await createOutput(terminal.stream, notes.stream).result(text);
    await createOutput(pipe.stream, notes.stream).result(text);
    createOutput(pipe.stream, notes.stream).note(text);
    expect(terminal.written.join("")).not.toMatch(ACTIVE);
    expect(notes.written.join("")).not.toMatch(ACTIVE);
    expect(pipe.written.join("")).toBe(`${text}\n`);
  });

  it("cannot add a line to the proxy's log", () => {
    const record = {
      ...{
        time: "2026-11-21T14:02:11.000Z",
        id: "req_1",
        key: "k",
        client: "::1",
        method: "POST",
        route: "/v1/messages",
      },
      ...{
        model: `m\n{"forged":true}\n${ESCAPES[0]}`,
        upstream: "u",
        upstreamModel: "m\r\nforged",
        status: 200,
        ms: 1,
      },
      ...{
        firstByteMs: 1,
        stream: false,
        retries: 0,
        usage: undefined,
        cost: undefined,
        losses: [],
        errorMessage: "a\nb",
      },
    };
    expect(recordLine(record).split("\n")).toHaveLength(1);
    expect(JSON.parse(recordLine(record)).model).toBe(record.model);
    expect(withoutControls(readableLine(record)).split("\n")).toHaveLength(1);
  });
});
