import { DialectError } from "../../../src/proxy/exchange/dialect-error.ts";
import type { Loss } from "../../../src/proxy/exchange/loss.ts";
import type { Dialect, Part } from "../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../../src/proxy/exchange/request.ts";
import { finishSteps } from "../../../src/proxy/exchange/steps.ts";
import { capabilitiesFor } from "../../../src/proxy/models/capabilities-for.ts";
import { prepareRequest } from "../../../src/proxy/translate/request/prepare-request.ts";
import { codecs } from "../../support/codecs.ts";
import { encodeContext, request } from "../../support/exchange.ts";

type UpstreamDialect = Exclude<Dialect, "completions">;
export const upstreamDialects: readonly UpstreamDialect[] = [
  "chat-completions",
  "responses",
  "messages",
  "generative-language",
];
export const clientDialects: readonly Dialect[] = [...upstreamDialects, "completions"];

const hi: Turn = { role: "user", parts: [{ type: "text", text: "Hi" }] };
const user = (...parts: Part[]): Partial<ExchangeRequest> => ({
  turns: [{ role: "user", parts: [{ type: "text", text: "See" }, ...parts] }],
});
const tool = { type: "function", name: "f", schema: { type: "object", properties: {} } } as const;
const closed = { ...tool.schema, additionalProperties: false };
const png = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const pdf = { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" } as const;
const called = (
  parts: readonly Part[],
  result: Partial<Extract<Part, { type: "tool-result" }>> = {},
): Partial<ExchangeRequest> => ({
  tools: [tool],
  turns: [
    hi,
    { role: "assistant", parts: [...parts, { type: "tool-call", id: "call_1", name: "f", arguments: "{}" }] },
    {
      role: "user",
      parts: [{ type: "tool-result", callId: "call_1", content: [{ type: "text", text: "x" }], ...result }],
    },
  ],
});
const thought = (vendor: Dialect, more: Partial<Extract<Part, { type: "reasoning" }>> = {}): Part => ({
  type: "reasoning",
  text: "Hm",
  vendor,
  signature: "c2ln",
  ...more,
});

/** Client requests, each with one feature. */
export const requestFeatures: readonly (readonly [name: string, asked: Partial<ExchangeRequest>])[] = [
  ["system or developer text", { instructions: [{ type: "text", text: "Be brief." }], turns: [hi] }],
  [
    "system message within the conversation",
    {
      turns: [
        hi,
        { role: "assistant", parts: [{ type: "text", text: "Yes?" }] },
        { role: "system", parts: [{ type: "text", text: "In French." }] },
        hi,
      ],
    },
  ],
  ["`name` of a message", { turns: [{ ...hi, name: "ann" }] }],
  ["assistant prefill", { turns: [hi, { role: "assistant", parts: [{ type: "text", text: "{" }] }] }],
  ["image, bytes", user({ type: "image", source: png })],
  ["image, URL", user({ type: "image", source: { kind: "url", url: "https://a.example/x.png" } })],
  ["image, `detail`", user({ type: "image", source: png, detail: "high" })],
  ["PDF, bytes", user({ type: "document", source: pdf })],
  ["PDF, URL", user({ type: "document", source: { kind: "url", url: "https://a.example/x.pdf" } })],
  ["text document", user({ type: "document", source: { kind: "text", text: "words" } })],
  ["audio", user({ type: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "UklGRg==" } })],
  ["video", user({ type: "video", source: { kind: "base64", mediaType: "video/mp4", data: "AAAA" } })],
  ["tool calls and results", called([])],
  ["failed tool (`is_error`)", called([], { isError: true })],
  ["image inside a tool result", called([], { content: [{ type: "image", source: png }] })],
  [
    "tool choice none, auto, required, named",
    { tools: [tool], toolChoice: { mode: "tool", name: "f" }, turns: [hi] },
  ],
  [
    "tool choice among several tools",
    { tools: [tool], toolChoice: { mode: "allowed", names: ["f"], required: false }, turns: [hi] },
  ],
  ["one tool call at a time", { tools: [tool], parallelToolCalls: false, turns: [hi] }],
  ["`strict` tools", { tools: [{ ...tool, schema: closed, strict: true }], turns: [hi] }],
  ["custom (free-text) tool", { tools: [{ type: "custom", name: "patch" }], turns: [hi] }],
  [
    "hosted web search, alone",
    { tools: [{ type: "hosted", tool: "web-search", dialect: "completions", raw: {} }], turns: [hi] },
  ],
  [
    "hosted web search, with functions",
    { tools: [tool, { type: "hosted", tool: "web-search", dialect: "completions", raw: {} }], turns: [hi] },
  ],
  [
    "hosted code execution",
    {
      tools: [tool, { type: "hosted", tool: "code-execution", dialect: "completions", raw: {} }],
      turns: [hi],
    },
  ],
  [
    "other hosted tool, with functions",
    { tools: [tool, { type: "hosted", tool: "other", dialect: "completions", raw: {} }], turns: [hi] },
  ],
  [
    "other hosted tool, alone",
    { tools: [{ type: "hosted", tool: "other", dialect: "completions", raw: {} }], turns: [hi] },
  ],
  ["reasoning signed by messages", called([thought("messages")])],
  ["reasoning encrypted by responses", called([thought("responses", { summary: true })])],
  [
    "text signed by generative-language",
    { turns: [hi, { role: "assistant", parts: [{ type: "text", text: "a", signature: "c2ln" }] }, hi] },
  ],
  ["reasoning without signature", called([{ type: "reasoning", text: "Hm", vendor: "chat-completions" }])],
  [
    "reasoning effort or budget",
    { reasoning: { effort: "high" }, sampling: { maxOutputTokens: 32_000 }, turns: [hi] },
  ],
  ["max tokens, temperature", { sampling: { maxOutputTokens: 9, temperature: 0.5 }, turns: [hi] }],
  ["`top_p`", { sampling: { topP: 0.5 }, turns: [hi] }],
  ["`top_k`", { sampling: { topK: 5 }, turns: [hi] }],
  ["stop sequences", { sampling: { stop: ["END"] }, turns: [hi] }],
  ["seed", { sampling: { seed: 1 }, turns: [hi] }],
  ["frequency and presence penalty", { sampling: { frequencyPenalty: 1, presencePenalty: 1 }, turns: [hi] }],
  ["several candidates", { sampling: { candidates: 2 }, turns: [hi] }],
  ["log probabilities", { sampling: { logprobs: true, topLogprobs: 2 }, turns: [hi] }],
  ["logit bias", { sampling: { logitBias: { "1": 1 } }, turns: [hi] }],
  [
    "structured output by JSON Schema",
    { output: { type: "json-schema", schema: { type: "object", properties: {} }, name: "a" }, turns: [hi] },
  ],
  ["JSON output", { output: { type: "json" }, turns: [hi] }],
  ["cache breakpoint", { turns: [{ role: "user", parts: [{ type: "text", text: "Hi", cache: {} }] }] }],
  ["cache key", { cacheKey: "k", turns: [hi] }],
  ["user", { user: "u", turns: [hi] }],
  ["metadata", { metadata: { a: "b" }, turns: [hi] }],
  ["verbosity", { verbosity: "low", turns: [hi] }],
  ["service tier", { serviceTier: "flex", turns: [hi] }],
];

/** Upstream responses, each with one feature. */
export const responseFeatures: readonly (readonly [name: string, parts: readonly Part[]])[] = [
  ["text", [{ type: "text", text: "a" }]],
  ["refusal text", [{ type: "refusal", text: "No." }]],
  ["reasoning, signed by its vendor", [thought("messages")]],
  ["redacted reasoning", [thought("messages", { text: "", redacted: true })]],
  ["tool call", [{ type: "tool-call", id: "call_1", name: "f", arguments: "{}" }]],
  [
    "tool call signed by generative-language",
    [{ type: "tool-call", id: "call_1", name: "f", arguments: "{}", signature: "c2ln" }],
  ],
  ["text signed by generative-language", [{ type: "text", text: "a", signature: "c2ln" }]],
  ["custom tool call", [{ type: "tool-call", id: "call_1", name: "f", arguments: "free", custom: true }]],
  [
    "citation of a web page",
    [{ type: "text", text: "a", citations: [{ url: "https://a.example", title: "A" }] }],
  ],
  [
    "citation of a document passage",
    [
      {
        type: "text",
        text: "a",
        citations: [{ title: "A", origin: { dialect: "messages", raw: { type: "char_location" } } }],
      },
    ],
  ],
  ["image", [{ type: "image", source: png }]],
  ["audio", [{ type: "audio", source: { kind: "base64", mediaType: "audio/wav", data: "UklGRg==" } }]],
  [
    "hosted web search",
    [
      {
        type: "server-tool",
        tool: "web-search",
        phase: "call",
        id: "ws_1",
        name: "web_search",
        input: { query: "q" },
      },
    ],
  ],
  [
    "hosted code execution",
    [{ type: "server-tool", tool: "code-execution", phase: "call", id: "ce_1", name: "python", input: {} }],
  ],
];

/** Returns the table cell for a request's feature, as it is converted for an upstream with an unknown model. */
export function requestCell(asked: Partial<ExchangeRequest>, dialect: UpstreamDialect): string {
  const capabilities = capabilitiesFor(dialect, "any-model");
  const prepared = finishSteps(prepareRequest(request(asked), { dialect, model: "any-model" }, capabilities));
  try {
    const { losses } = codecs[dialect].encodeRequest(prepared.request, capabilities);
    return cell([...prepared.losses, ...losses]);
  } catch (error) {
    if (error instanceof DialectError) return "refused, 400";
    throw error;
  }
}

/** Returns the table cell for a response's feature, as it is converted for a client. */
export function getResponseCell(parts: readonly Part[], dialect: Dialect): string {
  const calls = parts.some((part) => part.type === "tool-call");
  const response = { candidates: [{ parts, finish: { unified: calls ? "tool-calls" : "stop" } as const }] };
  return cell(codecs[dialect].encodeResponse(response, encodeContext()).losses);
}

function cell(losses: readonly Loss[]): string {
  return losses.length === 0 ? "✓" : [...new Set(losses.map((loss) => `\`${loss.code}\``))].join(", ");
}

/** Returns a Markdown table of rows by columns. */
export function table<Row, Column extends string>(
  columns: readonly Column[],
  rows: readonly (readonly [name: string, row: Row])[],
  fill: (row: Row, column: Column) => string,
): string {
  return [
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...rows.map(([name, row]) => `| ${name} | ${columns.map((column) => fill(row, column)).join(" | ")} |`),
  ].join("\n");
}
