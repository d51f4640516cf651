import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getProfile } from "../../../src/proxy/dialects/index.ts";
import {
  isContextOverflow,
  kindToStatus,
  retryAfterSeconds,
  statusToKind,
} from "../../../src/proxy/exchange/error-status.ts";
import {
  argumentsObject,
  guardJson,
  parseJson,
  RawJson,
  stringifyJson,
} from "../../../src/proxy/exchange/json.ts";
import { createLossList } from "../../../src/proxy/exchange/loss.ts";
import { sniffMediaType, toMediaSource, toMediaUrl } from "../../../src/proxy/exchange/media.ts";
import {
  budgetToEffort,
  clampEffort,
  type Effort,
  resolveBudget,
} from "../../../src/proxy/exchange/reasoning-effort.ts";
import {
  attachSignatures,
  detachCallSignatures,
  detachTextSignatures,
  unwrapSignature,
  wrapSignature,
} from "../../../src/proxy/exchange/signature.ts";
import { createStreamChecker } from "../../../src/proxy/exchange/stream-checker.ts";
import { createCallId, toCallId, unwrapCallId } from "../../../src/proxy/exchange/tool-call-id.ts";
import {
  fromExclusiveCounts,
  fromInclusiveCounts,
  fromSeparateThoughtCounts,
  mergeUsage,
  uncachedInput,
} from "../../../src/proxy/exchange/usage.ts";

describe("tool call ids", () => {
  const dialects = ["chat-completions", "responses", "messages", "generative-language"] as const;

  it("are valid in the dialect, stable, and restore the vendor's id unless that is too long", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.constantFrom(...dialects), (id, dialect) => {
        const fitted = toCallId(getProfile(dialect).callIds, id);
        if (dialect === "messages") expect(fitted).toMatch(/^[a-zA-Z0-9_-]+$/);
        expect(fitted).not.toMatch(/\s/);
        expect(toCallId(getProfile(dialect).callIds, id)).toBe(fitted);
        if (!fitted.startsWith("call_h_")) expect(unwrapCallId(fitted)).toBe(unwrapCallId(id));
      }),
    );
  });

  it("are restored for the vendor through any client", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9:|. é]{1,20}$/), (id) => {
        expect(
          toCallId(getProfile("chat-completions").callIds, toCallId(getProfile("messages").callIds, id)),
        ).toBe(toCallId(getProfile("chat-completions").callIds, id));
      }),
    );
  });

  it("stay distinct when they are shortened", () => {
    const ids = ["x".repeat(300), `${"x".repeat(300)}y`].map((id) =>
      toCallId(getProfile("responses").callIds, id),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(64);
  });

  it("are derived from the position of a call without one", () => {
    expect(createCallId("f", 1, 0)).toBe(createCallId("f", 1, 0));
    expect(createCallId("f", 1, 0)).not.toBe(createCallId("f", 1, 1));
    // The digest is part of conversations that clients have stored.
    expect(createCallId("f", 1, 0)).toBe("call_m_zHolA45FdEuzKc51InPsya21");
  });
});

describe("signatures", () => {
  it("are restored for the vendor that created them; bare ones belong to the dialect in which they occur", () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        const wrapped = wrapSignature("messages", { vendor: "responses", signature });
        expect(unwrapSignature("messages", wrapped)).toEqual({ vendor: "responses", signature });
      }),
    );
    expect(wrapSignature("messages", { vendor: "messages", signature: "x" })).toBe("x");
    expect(unwrapSignature("messages", "x")).toEqual({ vendor: "messages", signature: "x" });
  });

  it("of calls are detached and attached without loss", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "tool-call", id: "1", name: "f", arguments: "{}", signature: "s" },
      { type: "tool-call", id: "2", name: "f", arguments: "{}" },
    ] as const;
    expect(attachSignatures(detachCallSignatures(parts))).toEqual(parts);
  });
});

describe("signatures of texts", () => {
  const call = { type: "tool-call", id: "1", name: "f", arguments: "{}" } as const;
  const text = { type: "text", text: "a" } as const;

  it.each([
    ["alone", [{ ...text, signature: "s" }]],
    ["before a call that has none", [{ ...text, signature: "s" }, call]],
    [
      "before a call that has its own",
      [
        { ...text, signature: "s" },
        { ...call, signature: "c" },
      ],
    ],
    ["that have none before a call that has", [text, { ...call, signature: "c" }]],
    ["of several in a row", [text, { ...text, signature: "t" }]],
  ] as const)("are detached and attached without loss: %s", (_, parts) => {
    const detached = detachCallSignatures(detachTextSignatures(parts, createLossList()));
    expect(detached.every((part) => part.type === "reasoning" || !("signature" in part))).toBe(true);
    const wrapped = detached.map((part) =>
      part.type === "reasoning"
        ? { type: part.type, text: "", ...unwrapSignature("responses", wrapSignature("responses", part)) }
        : part,
    );
    expect(attachSignatures(wrapped)).toEqual(parts);
  });
});

describe("usage counts", () => {
  it("are equal in every vendor's convention, and count no token twice", () => {
    const counts = fc.record({
      uncached: fc.nat(9_999),
      read: fc.nat(9_999),
      write: fc.nat(9_999),
      responseTokens: fc.nat(9_999),
      thoughts: fc.nat(9_999),
    });
    fc.assert(
      fc.property(counts, ({ uncached, read, write, responseTokens, thoughts }) => {
        const total = uncached + read + write;
        const output = responseTokens + thoughts;
        const exclusive = fromExclusiveCounts({
          uncached,
          cacheRead: read,
          cacheWrite: write,
          output,
          reasoning: thoughts,
        });
        const inclusive = fromInclusiveCounts({
          input: total,
          cacheRead: read,
          cacheWrite: write,
          output,
          reasoning: thoughts,
        });
        const apart = fromSeparateThoughtCounts({
          prompt: total,
          cacheRead: read + write,
          candidates: responseTokens,
          thoughts,
        });
        expect(exclusive).toEqual(inclusive);
        expect([apart.input.total, apart.output]).toEqual([total, { total: output, reasoning: thoughts }]);
        expect(uncachedInput(inclusive)).toBe(uncached);
        expect(mergeUsage(inclusive, inclusive)).toEqual(inclusive);
      }),
    );
  });

  it("keep the cached tokens of an earlier report in the total", () => {
    const start = fromExclusiveCounts({ uncached: 20, cacheRead: 900, cacheWrite: 80, output: 1 });
    const end = fromExclusiveCounts({ uncached: 25, output: 50 });
    expect(mergeUsage(start, end)).toEqual({
      input: { total: 1_005, uncached: 25, cacheRead: 900, cacheWrite: 80 },
      output: { total: 50 },
    });
    const whole = fromExclusiveCounts({ uncached: 25, cacheRead: 900, output: 50 });
    expect(mergeUsage(end, whole)?.input).toEqual({ total: 925, uncached: 25, cacheRead: 900 });
    expect(mergeUsage(start, fromExclusiveCounts({ uncached: null, output: 50 }))?.input.total).toBe(1_000);
  });

  it("treat a negative count as unknown, and round a fraction", () => {
    expect(fromInclusiveCounts({ input: 10, cacheRead: -5, output: -1, reasoning: 2.5 })).toEqual({
      input: { total: 10 },
      output: { reasoning: 3 },
    });
    expect(fromExclusiveCounts({ uncached: 10, cacheRead: -5, output: 1e30 })).toEqual({
      input: { total: 10, uncached: 10 },
      output: { total: Number.MAX_SAFE_INTEGER },
    });
    expect(fromSeparateThoughtCounts({ prompt: 10, toolPrompt: -5, candidates: 3, thoughts: -1 })).toEqual({
      input: { total: 10 },
      output: { total: 3 },
    });
  });

  it("contain no invented numbers", () => {
    expect(fromInclusiveCounts({ input: undefined, output: null })).toEqual({ input: {}, output: {} });
    expect(uncachedInput({ input: {}, output: {} })).toBeUndefined();
  });
});

describe("effort and budget", () => {
  const efforts: Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

  it("convert to each other and back", () => {
    for (const effort of efforts) expect(budgetToEffort(resolveBudget({ effort }) ?? -1)).toBe(effort);
    expect(budgetToEffort(-1)).toBeUndefined();
    expect(budgetToEffort(31_999)).toBe("high");
  });

  it("are clamped to the nearest supported level, the lower of two", () => {
    expect(clampEffort("max", ["low", "medium", "high"])).toBe("high");
    expect(clampEffort("medium", ["low", "high"])).toBe("low");
    expect(clampEffort("high", [])).toBeUndefined();
  });
});

describe("JSON with exact digits", () => {
  it("reads and writes integers of any length", () => {
    for (const text of [
      '{"a":9007199254740993}',
      "[-123456789012345678901234567890]",
      '{"a":"9007199254740993 \\" 1"}',
    ]) {
      expect(stringifyJson(parseJson(text))).toBe(text);
    }
  });

  it("leaves fractions with many digits unchanged", () => {
    expect(parseJson('{"a":[-0.000019647450465933232,-1000000000000000,1.2345678901234567e30]}')).toEqual({
      a: [-0.000019647450465933232, -1000000000000000, 1.2345678901234567e30],
    });
  });

  it("equals plain JSON otherwise", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringifyJson(parseJson(JSON.stringify(value)))).toBe(
          JSON.stringify(JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });

  it("writes raw JSON unchanged", () => {
    expect(stringifyJson({ a: [new RawJson('{"b": 1.0}'), "$& raw-0"] })).toBe(
      '{"a":[{"b": 1.0},"$& raw-0"]}',
    );
    expect(JSON.stringify(new RawJson('{"b":1.0}'))).toBe('{"b":1}');
  });

  it("accepts tool arguments only if they are a JSON object", () => {
    expect(argumentsObject("")?.text).toBe("{}");
    expect(argumentsObject('{"a":1}')?.text).toBe('{"a":1}');
    for (const text of ["[1]", "1", "null", '{"a":', "nope"]) expect(argumentsObject(text)).toBeUndefined();
  });

  it("rejects deep nesting and __proto__", () => {
    expect(() => guardJson(JSON.parse('{"__proto__":1}'))).toThrow(/__proto__/);
    expect(() => guardJson(JSON.parse("[".repeat(257) + "]".repeat(257)))).toThrow(/256/);
    expect(() => guardJson(JSON.parse("[".repeat(256) + "]".repeat(256)))).not.toThrow();
  });
});

describe("media sources", () => {
  it("convert data URLs to bytes and back", () => {
    expect(toMediaSource("data:image/png;base64,AAAA")).toEqual({
      kind: "base64",
      mediaType: "image/png",
      data: "AAAA",
    });
    expect(toMediaUrl(toMediaSource("data:image/png;base64,AAAA"))).toBe("data:image/png;base64,AAAA");
    expect(toMediaSource("https://a.example/x.png")).toEqual({ kind: "url", url: "https://a.example/x.png" });
  });

  it("detect the media type from the bytes", () => {
    expect(sniffMediaType("/9j/4AAQ", "image/png")).toBe("image/jpeg");
    expect(sniffMediaType("UklGRiQA", "audio/wav")).toBe("audio/wav");
    expect(sniffMediaType("AAAA", "image/png")).toBe("image/png");
  });
});

describe("error kinds", () => {
  it("correspond to statuses", () => {
    for (const status of [400, 401, 402, 403, 404, 409, 413, 422, 429, 503])
      expect(kindToStatus(statusToKind(status))).toBe(status);
    expect(statusToKind(418)).toBe("invalid-request");
    expect(statusToKind(599)).toBe("upstream");
  });

  it.each([
    "prompt is too long: 210000 tokens > 200000 maximum",
    "This model's maximum context length is 8192 tokens",
    "Your input exceeds the context window of this model",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ])("detect a context overflow: %s", (message) => {
    expect(isContextOverflow(400, message)).toBe(true);
  });

  it("detect no context overflow in other errors", () => {
    expect(isContextOverflow(400, "max_tokens must be positive")).toBe(false);
    expect(isContextOverflow(429, "too many input tokens")).toBe(false);
  });

  it("read retry-after as milliseconds, seconds or a date", () => {
    expect(retryAfterSeconds({ "retry-after-ms": "1200" })).toBe(2);
    expect(retryAfterSeconds({ "retry-after": "3" })).toBe(3);
    expect(retryAfterSeconds({ "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT" }, 4_000)).toBe(5);
    expect(retryAfterSeconds({ "retry-after": "soon" })).toBeUndefined();
  });
});

describe("the stream grammar", () => {
  const start = { type: "start" } as const;
  const text = { type: "part-start", index: 0, part: { type: "text", text: "" } } as const;
  const finish = { type: "finish", finish: { unified: "stop" } } as const;
  const end = { type: "end" } as const;
  const complaints = (events: Parameters<ReturnType<typeof createStreamChecker>["check"]>[0][]) => {
    const checker = createStreamChecker();
    return events.map((event) => checker.check(event)).filter((wrong) => wrong !== undefined);
  };

  it("accepts a stream in order", () => {
    expect(
      complaints([
        { type: "ping" },
        start,
        text,
        { type: "text-delta", index: 0, text: "a" },
        { type: "part-end", index: 0 },
        finish,
        { type: "usage", usage: { input: {}, output: {} } },
        end,
      ]),
    ).toEqual([]);
    expect(complaints([{ type: "error", error: { kind: "upstream", status: 502, message: "x" } }])).toEqual(
      [],
    );
  });

  it.each([
    ["an event before start", [text]],
    ["two starts", [start, start]],
    ["an index used twice", [start, text, { type: "part-end", index: 0 } as const, text]],
    ["a delta for no part", [start, { type: "text-delta", index: 3, text: "a" } as const]],
    ["a delta of the wrong kind", [start, text, { type: "arguments-delta", index: 0, text: "a" } as const]],
    ["an end without finish", [start, end]],
    ["an end while a part is open", [start, text, finish, end]],
    ["anything behind the end", [start, finish, end, end]],
  ])("rejects %s", (_, events) => {
    expect(complaints(events)).toHaveLength(1);
  });
});
