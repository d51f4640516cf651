import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createOutput, type Verbosity, withoutControls } from "../../src/cli/output.ts";

function sink(write: (chunk: string, done: (error?: Error) => void) => void) {
  const stream = new Writable({ write: (chunk, _encoding, done) => write(String(chunk), done) });
  return stream as unknown as NodeJS.WriteStream;
}

describe("output", () => {
  it("writes the result to stdout with a line end, when the reader accepts it", async () => {
    let text = "";
    const output = createOutput(
      sink((chunk, done) => {
        text += chunk;
        setImmediate(done);
      }),
      sink((_chunk, done) => done()),
    );
    expect(await output.result("{}")).toBe(true);
    expect(text).toBe("{}\n");
    expect(() => output.result("{}")).toThrow(/exactly one/);
  });

  it("reports that the reader closed stdout", async () => {
    const closed = sink((_chunk, done) => done(new Error("EPIPE")));
    expect(
      await createOutput(
        closed,
        sink((_chunk, done) => done()),
      ).result("{}"),
    ).toBe(false);
  });

  it("states why a result could not be written, unless the reader closed stdout", async () => {
    const ended = async (code: string) => {
      let stderr = "";
      const output = createOutput(
        sink((_chunk, done) => done(Object.assign(new Error(`${code}: no`), { code }))),
        sink((chunk, done) => {
          stderr += chunk;
          done();
        }),
      );
      expect(await output.result("{}")).toBe(false);
      return { stderr, lost: output.lostResult };
    };
    expect(await ended("ENOSPC")).toEqual({
      stderr: "sallyport: Cannot write the result: ENOSPC: no\n",
      lost: true,
    });
    expect(await ended("EPIPE")).toEqual({ stderr: "", lost: false });
  });

  it("ignores a reader that closes help early", async () => {
    const closed = sink((_chunk, done) => done(new Error("EPIPE")));
    createOutput(
      closed,
      sink((_chunk, done) => done()),
    );
    const error = new Promise((resolve) => closed.once("error", resolve));
    closed.write("Usage: …");
    expect(await error).toMatchObject({ message: "EPIPE" });
    expect(closed.listenerCount("error")).toBe(1);
  });

  it("shows control characters as text, so that a plan cannot control the terminal", () => {
    expect(withoutControls("a\u001b[31mb\u0007\u009bc\r\ttab\nline")).toBe(
      "a\\x1b[31mb\\x07\\x9bc\\x0d\ttab\nline",
    );
  });
});

describe("notes", () => {
  const shown = (verbosity: Verbosity) => {
    let stderr = "";
    const errors = sink((chunk, done) => {
      stderr += chunk;
      done();
    });
    const output = createOutput(
      sink((_chunk, done) => done()),
      errors,
    );
    output.verbosity = verbosity;
    output.note("progress");
    output.note("http://localhost:1", "essential");
    output.note("sallyport: failed [usage]");
    output.note("Warning: careful");
    output.note("took 3 ms", "detail");
    return stderr.split("\n").slice(0, -1);
  };

  it("are shown, except details", () => {
    expect(shown("normal")).toEqual([
      "progress",
      "http://localhost:1",
      "sallyport: failed [usage]",
      "Warning: careful",
    ]);
  });

  it("with --quiet are errors, warnings and what the caller needs", () => {
    expect(shown("quiet")).toEqual(["http://localhost:1", "sallyport: failed [usage]", "Warning: careful"]);
  });

  it.each(["verbose", "debug"] as const)("with --%s include details", (verbosity) => {
    expect(shown(verbosity)).toHaveLength(5);
  });
});
