import { describe, expect, it, onTestFinished, vi } from "vitest";
import { codec as generativeLanguage } from "../../../../src/proxy/dialects/generative-language/index.ts";
import { profile } from "../../../../src/proxy/dialects/generative-language/profile.ts";
import type { ExchangeEvent } from "../../../../src/proxy/exchange/event.ts";
import type { Part } from "../../../../src/proxy/exchange/parts.ts";
import {
  bare,
  collect,
  decodeAll,
  encodeAll,
  encodeContext,
  parseEvents,
  readStreamFixture,
  text,
  wireEvents,
} from "../../../support/exchange.ts";

function chunk(parts: unknown[], more: object = {}) {
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...more }], responseId: "r" };
}

const stop = { finishReason: "STOP" };
const base64 = (plain: string) => Buffer.from(plain).toString("base64");

function decode(...chunks: object[]): ExchangeEvent[] {
  return decodeAll(generativeLanguage, wireEvents(chunks.map((one) => JSON.stringify(one))));
}

function partsOf(...chunks: object[]) {
  return collect(decode(...chunks)).candidates[0]?.parts.map(bare);
}

function recordedCalls(name: string) {
  const received = collect(
    decodeAll(generativeLanguage, wireEvents(readStreamFixture("generative-language", name))),
  );
  return received.candidates[0]?.parts.flatMap((part) =>
    part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments)]] : [],
  );
}

describe("decoding a stream of the generative-language dialect", () => {
  it("59: joins the pieces of one text, and keeps thoughts separate", () => {
    expect(
      partsOf(
        chunk([{ text: "Let me ", thought: true }]),
        chunk([{ text: "think.", thought: true }, { text: "It is " }]),
        chunk([{ text: "mild." }], stop),
      ),
    ).toEqual([
      { type: "reasoning", text: "Let me think.", vendor: "generative-language" },
      text("It is mild."),
    ]);
  });

  it("57: reports STOP after a call as tool-calls, and the token limit as length", () => {
    const call = { functionCall: { name: "f", args: { a: 1 } } };
    const finish = (reason: string) =>
      collect(decode(chunk([call], { finishReason: reason }))).candidates[0]?.finish;
    expect(finish("STOP")).toEqual({ unified: "tool-calls", raw: "STOP" });
    expect(finish("MAX_TOKENS")).toEqual({ unified: "length", raw: "MAX_TOKENS" });
  });

  it("58: reports a blocked prompt as an empty, filtered response", () => {
    const received = collect(
      decode({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 4 } }),
    );
    expect(received).toMatchObject({
      candidates: [{ parts: [], finish: { unified: "content-filter", raw: "SAFETY" } }],
      usage: { input: { total: 4 } },
    });
  });

  it("62: converts grounding to citations, and offsets in bytes to offsets in UTF-16 code units", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://e.org", title: "E" } }],
      groundingSupports: [
        { segment: { startIndex: 7, endIndex: 10, text: "là" }, groundingChunkIndices: [0] },
      ],
    };
    const [part] =
      collect(decode(chunk([{ text: "déjà là" }], { ...stop, groundingMetadata }))).candidates[0]?.parts ??
      [];
    expect(part?.type === "text" && part.citations).toEqual([
      { url: "https://e.org", title: "E", quote: "là", start: 5, end: 7 },
    ]);
  });

  it("64: keeps several candidates separate", () => {
    const both = {
      candidates: [
        { index: 0, content: { parts: [{ text: "a" }] }, ...stop },
        { index: 1, content: { parts: [{ text: "b" }] }, ...stop },
      ],
    };
    expect(collect(decode(both)).candidates.map((one) => one.parts)).toEqual([[text("a")], [text("b")]]);
  });

  it("67: decodes an image as a separate part", () => {
    expect(
      partsOf(chunk([{ text: "See" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }], stop)),
    ).toEqual([
      text("See"),
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
    ]);
  });

  it("42: assigns a signature to its thought, its call, or the text before it", () => {
    const received = collect(
      decode(
        chunk([{ text: "Hm.", thought: true, thoughtSignature: "dGhpbms" }]),
        chunk([{ text: "Yes." }]),
        chunk([{ text: "", thoughtSignature: "dGV4dA" }]),
        chunk([{ functionCall: { name: "f", args: {} }, thoughtSignature: "Y2FsbA" }], stop),
      ),
    );
    expect(received.candidates[0]?.parts).toMatchObject([
      { type: "reasoning", signature: "dGhpbms" },
      { type: "text", text: "Yes.", signature: "dGV4dA" },
      { type: "tool-call", signature: "Y2FsbA" },
    ]);
  });

  it("21: gives a call without an ID an ID that is unique within its response and across responses", () => {
    const ids = (responseId: string) => {
      const call = { functionCall: { name: "f", args: {} } };
      const received = collect(decode({ ...chunk([call, call], stop), responseId }));
      return received.candidates[0]?.parts.map((part) => (part.type === "tool-call" ? part.id : "")) ?? [];
    };
    expect(new Set([...ids("r1"), ...ids("r2")]).size).toBe(4);
    expect(ids("r1")).toEqual(ids("r1"));
  });

  it("76: decodes calls that start with a name and continue with arguments by path", () => {
    expect(recordedCalls("google-stream-tool-call-arguments.chunks.txt")).toEqual([
      ["getWeather", { location: "Boston" }],
      ["getWeather", { location: "San Francisco" }],
    ]);
    expect(recordedCalls("google-stream-no-args-tool-call.chunks.txt")).toEqual([
      ["read_theme", {}],
      ["read_screen", { id: "A" }],
      ["read_screen", { id: "B" }],
      ["read_screen", { id: "C" }],
    ]);
    const [[, items] = []] =
      recordedCalls("google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.txt") ??
      [];
    expect(items.operations).toEqual([
      { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 },
      { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 },
    ]);
    const [[, dish] = []] =
      recordedCalls("google-vertex-stream-tool-call-arguments-nested.1.chunks.txt") ?? [];
    expect(dish.recipe).toMatchObject({
      name: "Lasagna",
      ingredients: { length: 10 },
      steps: { length: 10 },
    });
    expect(dish.recipe.steps[4]).toBe("In a 9x13 baking dish, spread a thin layer of meat sauce.");
  });

  it("75: emits arguments by path as they arrive", () => {
    const lines = readStreamFixture(
      "generative-language",
      "google-vertex-stream-tool-call-arguments-nested.1.chunks.txt",
    );
    const received = decodeAll(generativeLanguage, wireEvents(lines));
    expect(received.filter((event) => event.type === "arguments-delta").length).toBeGreaterThan(30);
  });

  it("76, 79: reports the last of the cumulative counts, and accepts chunks after the finish reason", () => {
    const usage = (candidatesTokenCount: number) => ({
      usageMetadata: {
        promptTokenCount: 3,
        candidatesTokenCount,
        thoughtsTokenCount: 4,
        toolUsePromptTokenCount: 1,
      },
    });
    const received = collect(
      decode({ ...chunk([{ text: "a" }]), ...usage(1) }, { ...chunk([], stop), ...usage(2) }, usage(5)),
    );
    expect(received.usage).toMatchObject({ input: { total: 4 }, output: { total: 9, reasoning: 4 } });
  });

  it("85: reports an error within the stream with its kind", () => {
    const received = decodeAll(
      generativeLanguage,
      wireEvents(readStreamFixture("generative-language", "own-error-midway.chunks.txt")),
    );
    expect(received.at(-1)).toMatchObject({ type: "error", error: { kind: "overloaded", status: 503 } });
  });

  it("86: reports an end without a finish reason and an event that is not JSON as errors", () => {
    expect(decode(chunk([{ text: "Half" }])).at(-1)?.type).toBe("error");
    expect(decodeAll(generativeLanguage, [{ event: "message", data: "<html>" }]).at(-1)?.type).toBe("error");
  });

  it.each([
    [
      { jsonPath: "$.a.c", numberValue: 1 },
      { jsonPath: "$.b", numberValue: 2 },
      { jsonPath: "$.a.d", boolValue: true },
    ],
    [{ jsonPath: "$.a[2000000]", numberValue: 1 }],
    [{ jsonPath: "$", numberValue: 1 }],
  ])("76: reports arguments with wrong paths as an error, not as a wrong call: %j", (...partialArgs) => {
    expect(decode(chunk([{ functionCall: { name: "f", partialArgs } }], stop)).at(-1)?.type).toBe("error");
  });

  it("76: decodes every kind of value, gaps in arrays and names in brackets", () => {
    const partialArgs = [
      { jsonPath: "$.list[1]", nullValue: "NULL_VALUE" },
      { jsonPath: "$['a b'].c", boolValue: false },
      { jsonPath: '$["it\\"s"]', stringValue: 'q"\n' },
    ];
    const [part] = partsOf(chunk([{ functionCall: { name: "f", partialArgs } }], stop)) ?? [];
    expect(JSON.parse(Object(part).arguments)).toEqual({
      list: [null, null],
      "a b": { c: false },
      'it"s': 'q"\n',
    });
  });
});

const start: ExchangeEvent = { type: "start", id: "r1" };
const end: ExchangeEvent[] = [
  { type: "finish", finish: { unified: "stop" } },
  { type: "end", usage: { input: { total: 9, cacheRead: 5 }, output: { total: 7, reasoning: 3 } } },
];

function whole(part: Part, index = 0): ExchangeEvent {
  return { type: "part-whole", index, part };
}

function encode(events: readonly ExchangeEvent[]) {
  return parseEvents(encodeAll(generativeLanguage, events)).map((event) => JSON.parse(event.data));
}

describe("encoding a stream of the generative-language dialect", () => {
  it("82, 100: writes chunks without event names, and the finish reason and counts in the last chunk", () => {
    const events = [start, whole(text("Hi")), ...end];
    expect(encodeAll(generativeLanguage, events)).not.toMatch(/event:|\[DONE\]/);
    expect(encode(events)).toEqual([
      {
        candidates: [{ content: { parts: [{ text: "Hi" }], role: "model" }, index: 0 }],
        modelVersion: "client-model",
        responseId: "r1",
      },
      {
        candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 3,
          cachedContentTokenCount: 5,
          totalTokenCount: 16,
        },
        modelVersion: "client-model",
        responseId: "r1",
      },
    ]);
  });

  it("75: writes a call once its arguments are complete", () => {
    const chunks = encode([
      start,
      { type: "part-start", index: 0, part: { type: "tool-call", id: "c", name: "f", arguments: "" } },
      { type: "arguments-delta", index: 0, text: '{"a":' },
      { type: "arguments-delta", index: 0, text: "1}" },
      { type: "part-end", index: 0 },
      ...end,
    ]);
    expect(chunks[0].candidates[0].content.parts).toEqual([
      { functionCall: { id: "c", name: "f", args: { a: 1 } } },
    ]);
  });

  it("25: drops a truncated call with a loss", () => {
    const encoder = generativeLanguage.createStreamEncoder(encodeContext());
    const call = whole({ type: "tool-call", id: "c", name: "f", arguments: '{"a' });
    const written = [start, call, { type: "finish", finish: { unified: "length" } } as const, ...end.slice(1)]
      .map((event) => encoder.push(event))
      .join("");
    expect(written).toContain("MAX_TOKENS");
    expect(written).not.toContain("functionCall");
    expect(encoder.losses.map((loss) => loss.code)).toEqual(["incomplete-call"]);
  });

  it("40: wraps another vendor's signature in a thought, and unwraps it in the next request", () => {
    const thought: Part = { type: "reasoning", text: "plan", vendor: "responses", signature: "gAAA" };
    const [first] = encode([start, whole(thought), ...end]);
    const { parts } = first.candidates[0].content;
    expect(parts).toEqual([
      { text: "plan", thought: true, thoughtSignature: base64("sally1.responses.gAAA") },
    ]);
    const read = generativeLanguage.decodeRequest(
      { contents: [{ role: "model", parts }] },
      { model: "m" },
    ).value;
    expect(read.turns[0]?.parts).toEqual([thought]);
  });

  it("56: reports refusals as filtered, and the vendor's own reasons unchanged", () => {
    const reason = (finish: Extract<ExchangeEvent, { type: "finish" }>["finish"]) =>
      encode([start, { type: "finish", finish }, { type: "end" }]).at(-1).candidates[0].finishReason;
    expect(reason({ unified: "refusal" })).toBe("SAFETY");
    expect(reason({ unified: "content-filter", raw: "SPII" })).toBe("SPII");
    expect(reason({ unified: "context-overflow" })).toBe("MAX_TOKENS");
    expect(reason({ unified: "stop", raw: "end_turn" })).toBe("STOP");
  });

  it("83: writes one JSON array without alt=sse, and closes the array after an error too", () => {
    const array = (events: readonly ExchangeEvent[]) =>
      JSON.parse(encodeAll(generativeLanguage, events, encodeContext({ array: true })));
    expect(array([{ type: "ping" }, start, whole(text("Hi")), { type: "ping" }, ...end])).toHaveLength(2);
    const error = { kind: "overloaded", status: 529, message: "busy" } as const;
    expect(array([start, whole(text("Hi")), { type: "error", error }])[1]).toEqual({
      error: { code: 503, message: "busy", status: "UNAVAILABLE" },
    });
    expect(array([{ type: "error", error }])).toHaveLength(1);
  });

  it("84, 85: writes nothing for a ping, an error object for an error, and nothing after the error", () => {
    expect(encodeAll(generativeLanguage, [{ type: "ping" }])).toBe("");
    const error = { kind: "rate-limit", status: 429, message: "slow", retryAfterSeconds: 7 } as const;
    expect(encode([start, { type: "error", error }, ...end])).toEqual([
      {
        error: {
          code: 429,
          message: "slow",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
        },
      },
    ]);
  });

  it("62: writes citations with offsets in bytes, in the last chunk", () => {
    const cited: Part = {
      type: "text",
      text: "déjà là",
      citations: [{ url: "https://e.org", start: 5, end: 7 }],
    };
    const last = encode([start, whole(cited), ...end]).at(-1);
    expect(last.candidates[0].groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: "https://e.org", title: "https://e.org" } }],
      groundingSupports: [
        { segment: { partIndex: 0, startIndex: 7, endIndex: 10 }, groundingChunkIndices: [0] },
      ],
    });
  });
});

it("a complete response counts its own parts in the positions of citations", () => {
  const parts: Part[] = [
    { type: "reasoning", text: "" },
    { type: "tool-call", id: "call_1", name: "f", arguments: "{" },
    { type: "text", text: "I looked." },
    { type: "text", text: "It is mild.", citations: [{ url: "https://e.org", start: 0, end: 2 }] },
  ];
  const response = { candidates: [{ parts, finish: { unified: "stop" as const } }] };
  const { value } = generativeLanguage.encodeResponse(response, encodeContext());
  expect(value).toMatchObject({
    candidates: [
      {
        content: { parts: [{ text: "I looked." }, { text: "It is mild." }] },
        groundingMetadata: { groundingSupports: [{ segment: { partIndex: 1, startIndex: 0, endIndex: 2 } }] },
      },
    ],
  });
});

describe("the citations of a long text", () => {
  const sentence = "déjà là 🌊 — ";
  const texts = Array.from({ length: 400 }, () => sentence).join("");

  function encodeCited(offsets: readonly number[]) {
    const citations = offsets.map((start) => ({ url: "https://e.org", start, end: start + 3 }));
    const last = encode([start, whole({ type: "text", text: texts, citations }), ...end]).at(-1);
    const { groundingSupports } = last.candidates[0].groundingMetadata;
    return groundingSupports.map(({ segment }: { segment: object }) => segment);
  }

  it("have the offsets of the text before them, in any order", () => {
    const offsets = Array.from({ length: 300 }, (_, index) => (index * 7_919) % (texts.length - 3)).filter(
      (offset) => [offset, offset + 3].every((at) => !/^[\udc00-\udfff]/.test(texts.slice(at))),
    );
    const bytes = (offset: number) => Buffer.byteLength(texts.slice(0, offset));
    expect(encodeCited(offsets)).toEqual(
      offsets.map((offset) => ({ partIndex: 0, startIndex: bytes(offset), endIndex: bytes(offset + 3) })),
    );
  });

  it("have offsets of whole characters", () => {
    const wave = texts.indexOf("🌊");
    const before = Buffer.byteLength(texts.slice(0, wave));
    expect(encodeCited([wave + 1])).toEqual([{ partIndex: 0, startIndex: before, endIndex: before + 8 }]);
  });

  it("are counted in one pass over the text", () => {
    const counted = vi.spyOn(Buffer, "byteLength");
    onTestFinished(() => counted.mockRestore());
    encodeCited(Array.from({ length: 1_000 }, (_, index) => (index * sentence.length) % (texts.length - 3)));
    const characters = counted.mock.calls.reduce((sum, [text]) => sum + String(text).length, 0);
    expect(characters).toBeLessThan(2 * texts.length);
  });
});

describe("errors of the generative-language dialect", () => {
  const quota = (quotaId: string) => ({
    error: {
      code: 429,
      message: "quota",
      status: "RESOURCE_EXHAUSTED",
      details: [{ violations: [{ quotaId }] }, { retryDelay: "34.4s" }],
    },
  });

  it.each([
    [429, quota("RequestsPerMinute"), "rate-limit", 35],
    [429, quota("GenerateRequestsPerDayPerProject"), "quota", 35],
    [400, { error: { status: "INVALID_ARGUMENT", message: "bad" } }, "invalid-request", undefined],
    [
      400,
      { error: { message: "The input token count (9) exceeds the maximum number of tokens allowed (5)." } },
      "context-overflow",
      undefined,
    ],
    [
      400,
      { error: { message: "key", details: [{ reason: "API_KEY_INVALID" }] } },
      "authentication",
      undefined,
    ],
    [403, [{ error: { status: "PERMISSION_DENIED", message: "no" } }], "permission", undefined],
    [503, "<html>", "overloaded", undefined],
  ])("95, 96, 97, 99: decodes status %i with %j as %s", (status, body, kind, retryAfterSeconds) => {
    const error = generativeLanguage.decodeError(status, {}, body);
    expect(error.kind).toBe(kind);
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it.each([
    ["The input token count (9) exceeds the maximum number of tokens.", "context-overflow", 400],
    ["An internal error has occurred.", "upstream", 502],
  ])("96, 99: decode the error %j without a code in a stream as %s with the status %i", (...row) => {
    const [message, kind, status] = row;
    const events = decodeAll(generativeLanguage, wireEvents([JSON.stringify({ error: { message } })]));
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind, status } });
  });

  it.each([
    [400, "INVALID_ARGUMENT"],
    [401, "UNAUTHENTICATED"],
    [404, "NOT_FOUND"],
    [413, "INVALID_ARGUMENT"],
    [418, "FAILED_PRECONDITION"],
    [502, "INTERNAL"],
    [504, "DEADLINE_EXCEEDED"],
  ])("94: encodes status %i as %s", (status, name) => {
    const { body } = profile.client.encodeError({ kind: "invalid-request", status, message: "x" });
    expect(body).toMatchObject({ error: { code: status, status: name, message: "x" } });
  });
});
