import type { lossCodes, lossFamilies } from "../../../src/proxy/exchange/loss-codes.ts";
import type { ClientDialect } from "../../support/vendor-responses.ts";
import { chatResponse, type Json, messagesResponse } from "./harness.ts";

/** An HTTP call that must cause a loss and that `strict_translation` must reject. */
export interface Provocation {
  readonly path: string;
  /** The body, whose model has the form `upstream/model`. */
  readonly body: Json | FormData;
  /** The upstream's response; by default one without losses. */
  readonly response?: Json;
  /** Set if the loss occurs in the response, so that the call cannot be rejected before it is sent. */
  readonly inResponse?: true;
  /** The reported code, if it belongs to a family of codes. */
  readonly code?: string;
}

const hi = { role: "user", content: "Hi" };
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const schema = { type: "object", properties: { a: { type: "string" } } };
const parameters = { ...schema, additionalProperties: false, required: ["a"] };
const chatTool = { type: "function", function: { name: "f", parameters } };
const call = (text: string, id = "c") => ({ id, type: "function", function: { name: "f", arguments: text } });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "1" });

const fromChat = (more: Json, model = "messages/m"): Provocation => ({
  path: "/v1/chat/completions",
  body: { model, messages: [hi], ...more },
});
const fromMessages = (more: Json, model = "chat-completions/m"): Provocation => ({
  path: "/v1/messages",
  body: { model, max_tokens: 9_000, messages: [hi], ...more },
});
const fromUser = (...content: Json[]) => ({ messages: [{ role: "user", content }] });
const fromGoogle = (to: ClientDialect, parts: Json[], more: Json = {}): Provocation => ({
  path: `/v1beta/models/${to}%2Fm:generateContent`,
  body: {
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts },
      { role: "user", parts: [{ text: "Go" }] },
    ],
    ...more,
  },
});
const embed = (more: Json): Provocation => ({
  path: "/v1beta/models/chat-completions%2Fm:embedContent",
  body: { content: { parts: [{ text: "Hi" }] }, ...more },
  response: { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } },
});
const textSource = { type: "text", media_type: "text/plain", data: "Words" };
const document = (more: Json) => fromMessages(fromUser({ type: "document", source: textSource, ...more }));
const image = {
  candidates: [
    { content: { parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] }, finishReason: "STOP" },
  ],
};

function maskedEdit(): FormData {
  const form = new FormData();
  const file = new File([Buffer.from(PNG, "base64")], "a.png", { type: "image/png" });
  form.append("model", "generative-language/m");
  form.append("prompt", "x");
  form.append("image", file);
  form.append("mask", file);
  return form;
}

/** Codes that no HTTP call can cause, because the lane handles these cases before the codec. */
const settledBefore = ["previous-response-id", "tools"] as const;

type Provoked = Exclude<keyof typeof lossCodes, (typeof settledBefore)[number]> | keyof typeof lossFamilies;

/** One call for each loss code. */
export const provocations: Readonly<Record<Provoked, Provocation>> = {
  "answer-citation": {
    path: "/v1/completions",
    body: { model: "messages/m", prompt: "Hi" },
    response: messagesResponse([
      {
        type: "text",
        text: "a",
        citations: [
          { type: "web_search_result_location", url: "https://a.example", title: "A", cited_text: "a" },
        ],
      },
    ]),
    inResponse: true,
  },
  "assistant-prefill": fromMessages({ messages: [hi, { role: "assistant", content: "Well" }] }),
  "assistant-turn": fromMessages(
    {
      messages: [
        hi,
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c" },
            { type: "text", text: "Go" },
          ],
        },
      ],
    },
    "chat-completions/mistral-small",
  ),
  attribution: fromMessages({ system: [{ type: "text", text: "x-anthropic-billing-header: cch=1;" }] }),
  "cache-control": fromMessages({
    system: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }],
  }),
  "call-signature": fromGoogle(
    "messages",
    [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }],
    {
      tools: [{ functionDeclarations: [{ name: "f" }] }],
    },
  ),
  candidates: fromChat({ n: 9 }),
  "custom-tool": fromChat(
    {
      tools: [
        { type: "custom", custom: { name: "f" } },
        { ...chatTool, function: { name: "g" } },
      ],
    },
    "messages/free-text",
  ),
  "document-citations": document({ citations: { enabled: true } }),
  "document-context": document({ context: "old" }),
  "file-reference": fromChat(
    fromUser({ type: "text", text: "See" }, { type: "file", file: { file_id: "file-1" } }),
  ),
  "first-turn": fromChat({ messages: [{ role: "assistant", content: "Hello" }, hi] }),
  "frequency-penalty": fromChat({ frequency_penalty: 1 }),
  "image-detail": fromChat(
    fromUser({ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "high" } }),
  ),
  "incomplete-call": {
    path: "/v1beta/models/chat-completions%2Fm:generateContent",
    body: { contents: [{ parts: [{ text: "Hi" }] }] },
    response: chatResponse({ content: null, tool_calls: [call('{"a')] }, "length"),
    inResponse: true,
  },
  "json-schema": fromMessages(
    { output_config: { format: { type: "json_schema", schema: parameters } } },
    "chat-completions/deepseek-chat",
  ),
  "logit-bias": fromChat({ logit_bias: { 5: 1 } }),
  logprobs: fromChat({ logprobs: true }),
  mask: { path: "/v1/images/edits", body: maskedEdit(), response: image },
  "max-tokens": fromChat({ max_tokens: 9_000 }, "messages/claude-3-5-haiku"),
  metadata: fromChat({ metadata: { a: "b" } }),
  modalities: fromChat({ modalities: ["text", "audio"] }),
  name: fromChat({ messages: [{ ...hi, name: "bob" }] }),
  "part-signature": fromGoogle("messages", [{ text: "Hello", thoughtSignature: "c2ln" }]),
  "parallel-tool-calls": fromChat({ tools: [chatTool], parallel_tool_calls: false }, "generative-language/m"),
  "presence-penalty": fromChat({ presence_penalty: 1 }),
  "prompt-cache-key": fromChat({ prompt_cache_key: "k" }, "generative-language/m"),
  reasoning: fromGoogle("messages", [{ text: "Hm", thought: true }, { text: "Hello" }]),
  "reasoning-effort": fromMessages({ thinking: { type: "adaptive" }, output_config: { effort: "max" } }),
  "reasoning-signature": fromMessages({
    messages: [
      hi,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "c2ln" },
          { type: "text", text: "a" },
        ],
      },
      hi,
    ],
  }),
  seed: fromChat({ seed: 1 }),
  "service-tier": fromChat({ service_tier: "flex" }),
  size: {
    path: "/v1/images/generations",
    body: { model: "generative-language/m", prompt: "x", size: "1024x1024" },
    response: image,
  },
  stop: fromMessages({ stop_sequences: ["a", "b", "c", "d", "e"] }),
  store: fromChat({ store: true }),
  strict: fromChat(
    { tools: [{ ...chatTool, function: { ...chatTool.function, strict: true } }] },
    "generative-language/m",
  ),
  "structured-output": fromChat({ response_format: { type: "json_object" }, tools: [chatTool] }),
  "system-position": fromChat({ messages: [hi, { role: "system", content: "Stop" }, hi] }),
  "task-type": embed({ taskType: "RETRIEVAL_QUERY" }),
  temperature: fromChat({ temperature: 1.7 }),
  title: embed({ title: "A" }),
  "tool-choice": fromMessages(
    { tools: [{ name: "f", input_schema: { type: "object" } }], tool_choice: { type: "any" } },
    "chat-completions/auto-only",
  ),
  "tool-arguments": fromChat({
    messages: [hi, { role: "assistant", tool_calls: [call("[1]")] }, result("c")],
    tools: [chatTool],
  }),
  "tool-result-duplicate": fromChat({
    messages: [hi, { role: "assistant", tool_calls: [call("{}")] }, result("c"), result("c")],
    tools: [chatTool],
  }),
  "tool-result-missing": fromChat({
    messages: [hi, { role: "assistant", tool_calls: [call("{}")] }, hi],
    tools: [chatTool],
  }),
  "tool-result-orphan": fromChat({ messages: [hi, result("z"), hi] }),
  "top-k": fromMessages({ top_k: 4 }),
  "top-p": fromChat({ temperature: 0.5, top_p: 0.5 }, "messages/claude-sonnet-4-5"),
  user: fromChat({ user: "u" }, "generative-language/m"),
  verbosity: fromChat({ verbosity: "low" }),
  "web-search-options": fromMessages(
    { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] },
    "responses/m",
  ),
  "…": { ...fromMessages(fromUser({ type: "text", text: "See" }, { type: "odd" })), code: "unknown" },
  "answer-…": {
    ...fromChat({}),
    response: messagesResponse([{ type: "text", text: "a" }, { type: "odd" }]),
    inResponse: true,
    code: "answer-unknown",
  },
  "assistant-…": {
    ...fromMessages({
      messages: [
        hi,
        {
          role: "assistant",
          content: [
            { type: "text", text: "a" },
            { type: "server_tool_use", id: "s", name: "web_search", input: {} },
          ],
        },
        hi,
      ],
    }),
    code: "assistant-server-tool",
  },
  "system-…": {
    ...fromGoogle("chat-completions", [{ text: "a" }], {
      systemInstruction: { parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] },
    }),
    code: "system-image",
  },
  "…-url": {
    ...fromChat(
      fromUser(
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: "https://a.example/a.png" } },
      ),
      "generative-language/m",
    ),
    code: "image-url",
  },
  "hosted-tool-…": {
    ...fromMessages({
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { name: "f", input_schema: schema },
      ],
    }),
    code: "hosted-tool-web-search",
  },
  "schema-…": {
    ...fromMessages(
      {
        tools: [
          { name: "f", input_schema: { type: "object", properties: { a: { type: "integer", enum: [1] } } } },
        ],
      },
      "generative-language/gemini-2.0-flash",
    ),
    code: "schema-enum",
  },
};
