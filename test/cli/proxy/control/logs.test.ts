import { describe, expect, it } from "vitest";
import { formatLogLine, parseCount } from "../../../../src/cli/proxy/control/logs.ts";
import { recordLine } from "../../../../src/proxy/observability/request-log.ts";
import { callRecord } from "../../../support/call-record.ts";

describe("a line of the request log, for people", () => {
  it("shows what a terminal shows while the proxy runs", () => {
    const record = callRecord({
      time: "2026-11-23T10:11:12.000Z",
      model: "m-1",
      upstream: "local",
      status: 200,
    });
    const line = formatLogLine(recordLine(record));
    expect(line).toMatch(/^10:11:12 {2}200 {2}/);
    expect(line).toContain("m-1 → local");
  });

  it("shows a rejected request with its path and reason", () => {
    const line = JSON.stringify({
      time: "2026-11-23T10:11:12.000Z",
      client: "127.0.0.1",
      method: "POST",
      path: "/nope",
      status: 404,
      error_code: "not_found",
      fault: "Unknown path",
    });
    expect(formatLogLine(line)).toBe("10:11:12  404!     0ms  POST /nope  Unknown path");
  });

  it.each(["not JSON", '{"other": 1}'])("is unchanged if it is something else: %s", (line) => {
    expect(formatLogLine(line)).toBe(line);
  });
});

describe("--lines", () => {
  it.each(["-1", "ten", "1.5", ""])("is refused as %j", (text) => {
    expect(() => parseCount(text)).toThrow(/--lines must be a number of lines/);
  });

  it("is a number", () => {
    expect(parseCount("20")).toBe(20);
  });
});
