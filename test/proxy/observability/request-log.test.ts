import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CallRecord, recordLine } from "../../../src/proxy/observability/request-log.ts";
import { callRecord } from "../../support/call-record.ts";

const record = callRecord({ time: "2026-01-02T03:04:05.678Z", id: "req_1", ms: 12.34 });

describe("a line of the request log", () => {
  it("omits absent members", () => {
    expect(JSON.parse(recordLine(record))).toEqual({
      time: record.time,
      id: "req_1",
      client: "127.0.0.1",
      method: "POST",
      route: "/v1/messages",
      model: "m",
      upstream: "a",
      status: 200,
      ms: 12.34,
      stream: false,
    });
  });

  it("contains all present members", () => {
    const usage = { input: { total: 5, cacheRead: 2, cacheWrite: 1 }, output: { total: 7, reasoning: 3 } };
    const losses = [{ code: "top-k", path: "top_k", message: "no" }] as unknown as CallRecord["losses"];
    const cost = 0.0123;
    const more = {
      key: "k",
      cost,
      upstreamModel: "n",
      firstByteMs: 1.5,
      stream: true,
      retries: 2,
      errorMessage: "no",
    };
    expect(JSON.parse(recordLine({ ...record, ...more, usage, losses }))).toMatchObject({
      key: "k",
      upstream_model: "n",
      first_byte_ms: 1.5,
      stream: true,
      retries: 2,
      tokens: { input: 5, cache_read: 2, cache_write: 1, output: 7, reasoning: 3 },
      cost,
      losses: ["top-k"],
      fault: "no",
    });
    const nothing = JSON.parse(recordLine({ ...record, usage: { input: {}, output: {} } }));
    expect(nothing.tokens).toEqual({});
  });

  it("is one line of JSON, whatever model name a client sends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (model, errorMessage) => {
        const line = recordLine({ ...record, model, upstreamModel: model, errorMessage });
        expect(line).not.toMatch(/[\n\r]/);
        expect(JSON.parse(line)).toMatchObject({ model, fault: errorMessage });
      }),
    );
  });
});
