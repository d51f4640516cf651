import { describe, expect, it } from "vitest";
import { chatResponse, type Json, messagesResponse, messagesStream, runScene, sent, sse } from "./harness.ts";

const hi = { role: "user", content: "Hi" };

const chatToMessages = (more: Json, model = "claude-sonnet-4-5", messages: readonly Json[] = [hi]) =>
  sent("chat-completions", "messages", { model: "m", messages, ...more }, { model });
const messagesToChat = (more: Json, model = "gpt-5", messages: readonly Json[] = [hi]) =>
  sent("messages", "chat-completions", { model: "m", max_tokens: 9, messages, ...more }, { model });

/** Returns the parts of one chunk, as a generative-language client stores them for its next call. */
function partsOf({ candidates }: Json): Json[] {
  const [first] = (candidates ?? []) as { readonly content?: { readonly parts?: Json[] } }[];
  return first?.content?.parts ?? [];
}

describe("5c requests: reasoning, sampling, caching", () => {
  it.each([
    ["low", 1_024],
    ["medium", 8_192],
    ["high", 24_576],
  ])("37 converts the effort %s to a budget", async (effort, budget) => {
    const received = await chatToMessages({ reasoning_effort: effort, max_tokens: 32_000 });
    expect(received.sent["thinking"]).toEqual({ type: "enabled", budget_tokens: budget });
  });

  it.each([
    [1_024, "low"],
    [10_000, "medium"],
    [31_999, "high"],
  ])("37 converts a budget of %i to an effort", async (budget_tokens, effort) => {
    expect(
      (await messagesToChat({ thinking: { type: "enabled", budget_tokens } })).sent["reasoning_effort"],
    ).toBe(effort);
  });

  it("37 clamps none, xhigh and max to the supported levels, with a loss", async () => {
    const none = await chatToMessages({ reasoning_effort: "none" });
    expect(none.sent["thinking"]).toEqual({ type: "disabled" });
    const max = await messagesToChat({ thinking: { type: "adaptive" }, output_config: { effort: "max" } });
    expect(max.sent["reasoning_effort"]).toBe("high");
    expect(max.losses).toContain("reasoning-effort");
    const adaptive = await chatToMessages({ reasoning_effort: "high" }, "claude-opus-4-6");
    expect(adaptive.sent).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
  });

  it.each([
    ["gpt-5.1", "none", "none"],
    ["gpt-5.1-codex", "none", "low"],
    ["gpt-5.1-codex-max", "xhigh", "xhigh"],
    ["gpt-5.3-codex", "minimal", "low"],
    ["gpt-5.4", "max", "xhigh"],
    ["gpt-5.6", "max", "max"],
    ["o3", "none", "low"],
  ])("37 sends to %s the effort %s as %s, and reports a change", async (model, effort, expected) => {
    const received = await sent(
      "chat-completions",
      "responses",
      { model: "m", messages: [hi], reasoning_effort: effort },
      { model },
    );
    expect(received.sent["reasoning"]).toMatchObject({ effort: expected });
    expect(received.losses).toEqual(effort === expected ? [] : ["reasoning-effort"]);
  });

  it.each([
    ["o3", "low"],
    ["gemini-3-pro", "minimal"],
  ])(
    "37 sends the smallest thinking budget to %s if thinking was switched off, with a loss",
    async (model, expected) => {
      const received = await messagesToChat({ thinking: { type: "disabled" } }, model);
      expect(received.sent["reasoning_effort"]).toBe(expected);
      expect(received.losses).toEqual(["reasoning-effort"]);
    },
  );

  it("37 does not switch thinking off for a model that the configuration marks as always thinking", async () => {
    const capabilities = { "*": { alwaysThinks: true } };
    const body = { model: "m", messages: [hi], reasoning_effort: "none" };
    const received = await sent("chat-completions", "messages", body, { capabilities });
    expect(received.sent["thinking"]).toEqual({ type: "enabled", budget_tokens: 1_024 });
    expect(received.losses).toEqual(["reasoning-effort"]);
  });

  it("37 reports no loss if thinking is switched off for a model without it", async () => {
    const received = await messagesToChat({ thinking: { type: "disabled" } }, "gpt-4o");
    expect(received.sent).not.toHaveProperty("reasoning_effort");
    expect(received.losses).toEqual([]);
  });

  it("37 does not request thinking from a model without it", async () => {
    const received = await messagesToChat({ thinking: { type: "enabled", budget_tokens: 2_000 } }, "gpt-4o");
    expect(received.sent).not.toHaveProperty("reasoning_effort");
    expect(received.losses).toContain("reasoning-effort");
  });

  it("38 keeps the budget below max_tokens and above 1,024, or drops it", async () => {
    const received = await chatToMessages({ reasoning_effort: "high", max_tokens: 2_000 });
    expect(received.sent["thinking"]).toEqual({ type: "enabled", budget_tokens: 1_600 });
    const small = await chatToMessages({ reasoning_effort: "high", max_tokens: 500 });
    expect(small.sent).not.toHaveProperty("thinking");
    expect(small.losses).toContain("reasoning-effort");
  });

  it("39 drops temperature and top_k with thinking; models that always think receive no sampling members", async () => {
    const received = await chatToMessages({
      reasoning_effort: "low",
      max_tokens: 4_000,
      temperature: 0.3,
      top_k: 5,
    });
    expect(received.sent).not.toHaveProperty("temperature");
    expect(received.losses).toEqual(["temperature", "top-k"]);
    const openai = await messagesToChat({ temperature: 0.3, top_p: 0.4 });
    expect(openai.sent).not.toHaveProperty("temperature");
    expect(openai.losses).toEqual(["temperature", "top-p"]);
  });

  it.each(["streamed", "in one piece", "in one piece although a stream was requested"])(
    "40 restores thinking and redacted thinking through clients of other dialects, %s",
    async (way) => {
      const thoughts = [
        { type: "thinking", thinking: "Hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "cmVk" },
      ];
      const whole = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "tool_use" };
      const call = { type: "tool_use", id: "a", name: "f", input: {} };
      const blocks = [...thoughts, call].flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block },
        { type: "content_block_stop", index },
      ]);
      const upstreamResponse =
        way === "streamed" ? messagesStream(blocks, "tool_use") : { ...whole, content: [...thoughts, call] };
      const stream = way !== "in one piece";
      const asked = { model: "m", input: [hi], store: false, stream };
      const received = await runScene({
        client: "responses",
        upstream: "messages",
        body: asked,
        response: upstreamResponse,
      });
      const done = stream ? (received.data.at(-1)?.["response"] as Json) : received.json;
      const output = { type: "function_call_output", call_id: "a", output: "1" };
      const input = [hi, ...(done["output"] as Json[]), output];
      const back = await sent("responses", "messages", { model: "m", input });
      expect((back.sent["messages"] as Json[])[1]?.["content"]).toEqual([...thoughts, call]);
      const question = { role: "user", parts: [{ text: "Hi" }] };
      const google = await runScene({
        client: "generative-language",
        upstream: "messages",
        body: { contents: [question] },
        response: upstreamResponse,
        ...(stream ? { array: false } : {}),
      });
      const chunks = stream ? google.data : [google.json];
      const parts = chunks.flatMap((chunk) => partsOf(chunk));
      const response = { role: "user", parts: [{ functionResponse: { id: "a", name: "f", response: {} } }] };
      const contents = [question, { role: "model", parts }, response];
      const again = await sent("generative-language", "messages", { contents });
      expect((again.sent["messages"] as Json[])[1]?.["content"]).toEqual([...thoughts, call]);
    },
  );

  it("40 returns signed thinking only to its vendor, and keeps redacted thinking and the order", async () => {
    const content = [
      { type: "thinking", thinking: "Mine", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
      { type: "thinking", thinking: "Another's", signature: "sally1.responses.enc" },
      { type: "tool_use", id: "a", name: "f", input: {} },
    ];
    const messages = [
      hi,
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
    ];
    const body = { model: "m", max_tokens: 9, messages };
    const toChat = await sent("messages", "chat-completions", body);
    expect(toChat.sentText).not.toMatch(/Mine|Another|c2ln|cmVk/);
    expect(toChat.losses).toEqual(["reasoning-signature"]);
    const toResponses = await sent("messages", "responses", body);
    expect(toResponses.sentText).toContain('"encrypted_content":"enc"');
    expect(toResponses.sentText).not.toContain("Mine");
    const back = await sent("responses", "messages", {
      model: "m",
      input: [
        hi,
        {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "Mine" }],
          encrypted_content: "sally1.messages.c2ln",
        },
        { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "1" },
      ],
    });
    expect((back.sent["messages"] as Json[])[1]?.["content"]).toEqual([
      { type: "thinking", thinking: "Mine", signature: "c2ln" },
      { type: "tool_use", id: "a", name: "f", input: {} },
    ]);
  });

  it("40 does not request thinking if the thinking of a pending call is lost", async () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const received = await chatToMessages(
      { reasoning_effort: "high", max_tokens: 30_000 },
      "claude-sonnet-4-5",
      [
        hi,
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "a", content: "1" },
      ],
    );
    expect(received.sent).not.toHaveProperty("thinking");
    expect(received.losses).toContain("reasoning-effort");
  });

  it("41 requests encrypted reasoning, and sends it back before its call", async () => {
    const body = {
      model: "m",
      max_tokens: 4096,
      thinking: { type: "enabled", budget_tokens: 2048 },
      tools: [{ name: "f", input_schema: { type: "object", properties: {} } }],
    };
    const received = await runScene({
      client: "messages",
      upstream: "responses",
      body: { ...body, messages: [hi] },
      model: "gpt-5",
      response: {
        id: "resp_1",
        object: "response",
        status: "completed",
        output: [
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "enc" },
          { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" },
        ],
      },
    });
    expect(received.sent).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    const content = received.json["content"] as Json[];
    expect(content.map(({ type }) => type)).toEqual([expect.stringContaining("thinking"), "tool_use"]);
    const result = { type: "tool_result", tool_use_id: content[1]?.["id"], content: "1" };
    const next = await runScene({
      client: "messages",
      upstream: "responses",
      model: "gpt-5",
      body: {
        ...body,
        messages: [hi, { role: "assistant", content }, { role: "user", content: [result] }],
      },
    });
    expect((next.sent["input"] as Json[]).slice(1)).toMatchObject([
      { type: "reasoning", encrypted_content: "enc" },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1" },
    ]);
  });

  it("42 passes the signature of a call through a chat client in Google's own form", async () => {
    const response = {
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    const first = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: { model: "m", messages: [hi] },
      response,
    });
    const message = (first.json["choices"] as { message: Json }[])[0]?.message ?? {};
    const [call] = message["tool_calls"] as Json[];
    expect(call?.["extra_content"]).toEqual({ google: { thought_signature: "c2ln" } });
    const second = await sent("chat-completions", "generative-language", {
      model: "m",
      messages: [hi, message, { role: "tool", tool_call_id: call?.["id"], content: "1" }],
    });
    expect(second.sentText).toContain('"thoughtSignature":"c2ln"');
  });

  it("42 passes the signature of a call through a messages client as thinking without text", async () => {
    const response = {
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    const first = await runScene({
      client: "messages",
      upstream: "generative-language",
      body: { model: "m", max_tokens: 9, messages: [hi] },
      response,
    });
    const content = first.json["content"] as Json[];
    expect(content.map((block) => block["type"])).toEqual(["thinking", "tool_use"]);
    const result = { type: "tool_result", tool_use_id: content[1]?.["id"], content: "1" };
    const second = await sent("messages", "generative-language", {
      model: "m",
      max_tokens: 9,
      messages: [hi, { role: "assistant", content }, { role: "user", content: [result] }],
    });
    expect(second.sentText).toContain('"thoughtSignature":"c2ln"');
  });

  it("43 sends reasoning_content back only to vendors that require it", async () => {
    const thought = { type: "thinking", thinking: "Hmm", signature: "sally1.chat-completions." };
    const messages = [
      hi,
      { role: "assistant", content: [thought, { type: "text", text: "So." }] },
      { role: "user", content: "Go" },
    ];
    const deepseek = await messagesToChat({}, "deepseek-chat", messages);
    expect((deepseek.sent["messages"] as Json[])[1]).toEqual({
      role: "assistant",
      content: "So.",
      reasoning_content: "Hmm",
    });
    const other = await messagesToChat({}, "gpt-5", messages);
    expect(other.sentText).not.toContain("Hmm");
    expect(other.losses).toEqual(["reasoning"]);
  });

  it("43 leaves text that contains <think> unchanged", async () => {
    const text = "<think>not a thought</think> so be it";
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages: [hi] },
      response: chatResponse({ content: text }),
    });
    expect(received.json["content"]).toEqual([{ type: "text", text }]);
  });

  it("44 sends thinking.display to models that support it", async () => {
    const received = await sent(
      "responses",
      "messages",
      { model: "m", input: "Hi", max_output_tokens: 9_000, reasoning: { effort: "low" } },
      { model: "claude-sonnet-4-5" },
    );
    expect(received.sent["thinking"]).toMatchObject({ type: "enabled" });
  });

  it.each([
    ["gpt-4o", "max_tokens"],
    ["gpt-5.1", "max_completion_tokens"],
    ["o3", "max_completion_tokens"],
    ["openai/gpt-5-mini", "max_completion_tokens"],
    ["llama3.3", "max_tokens"],
  ])("45 sends to %s the output limit as %s", async (model, name) => {
    expect((await messagesToChat({}, model)).sent[name]).toBe(9);
  });

  it("45 raises a limit below the model's minimum, with a loss", async () => {
    const body = { model: "m", max_tokens: 1, messages: [hi] };
    const received = await sent("messages", "responses", body, { model: "gpt-5.2" });
    expect([received.sent["max_output_tokens"], received.losses]).toEqual([16, ["max-tokens"]]);
    const other = await sent("messages", "responses", body);
    expect([other.sent["max_output_tokens"], other.losses]).toEqual([1, []]);
  });

  it("45 sends the limit that the messages dialect requires, at most the model's maximum", async () => {
    expect((await chatToMessages({})).sent["max_tokens"]).toBe(16_384);
    expect((await chatToMessages({}, "claude-3-haiku-20240307")).sent["max_tokens"]).toBe(4_096);
    const received = await chatToMessages({ max_tokens: 100_000 }, "claude-opus-4-1");
    expect(received.sent["max_tokens"]).toBe(32_000);
    expect(received.losses).toEqual(["max-tokens"]);
  });

  it("46 clamps temperature to the vendor's range, drops top_p next to temperature, and reports losses", async () => {
    const received = await chatToMessages({
      temperature: 1.7,
      top_p: 0.5,
      seed: 1,
      frequency_penalty: 1,
      presence_penalty: 1,
      logprobs: true,
      logit_bias: { 1: 2 },
    });
    expect(received.sent["temperature"]).toBe(1);
    expect(received.losses).toEqual([
      "seed",
      "frequency-penalty",
      "presence-penalty",
      "logprobs",
      "logit-bias",
      "temperature",
      "top-p",
    ]);
    const idle = await chatToMessages({ n: 1, frequency_penalty: 0, logprobs: false, logit_bias: {} });
    expect(idle.losses).toEqual([]);
  });

  it("46 returns log probabilities to clients that requested them, streamed and complete", async () => {
    const token = { token: "ok", logprob: -0.5, bytes: [111, 107], top_logprobs: [] };
    const chosen = { chosenCandidates: [{ token: "ok", logProbability: -0.5 }] };
    const parts = [{ text: "ok" }];
    const google = {
      candidates: [{ content: { parts }, finishReason: "STOP", logprobsResult: chosen }],
    };
    const asked = { model: "m", messages: [hi], logprobs: true, top_logprobs: 0 };
    const whole = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: asked,
      response: google,
    });
    expect(whole.sent["generationConfig"]).toMatchObject({ responseLogprobs: true });
    expect(whole.json["choices"]).toMatchObject([{ logprobs: { content: [token] } }]);
    const choice = {
      index: 0,
      delta: { content: "ok" },
      logprobs: { content: [token] },
      finish_reason: "stop",
    };
    const streamed = await runScene({
      client: "responses",
      upstream: "chat-completions",
      body: { model: "m", input: "Hi", stream: true, include: ["message.output_text.logprobs"] },
      response: sse("chat-completions", [{ id: "c", choices: [choice] }]),
    });
    expect(streamed.sent["logprobs"]).toBe(true);
    expect(streamed.data.filter(({ logprobs }) => logprobs !== undefined)).toMatchObject([
      { type: "response.output_text.delta", logprobs: [token] },
      { type: "response.output_text.done", logprobs: [token] },
    ]);
    expect([...whole.losses, ...streamed.losses]).toEqual([]);
  });

  it("47 converts stop sequences given as a string or a list, and drops surplus ones and whitespace", async () => {
    expect((await chatToMessages({ stop: "END" })).sent["stop_sequences"]).toEqual(["END"]);
    const blank = await chatToMessages({ stop: ["\n\n", "END"] });
    expect(blank.sent["stop_sequences"]).toEqual(["END"]);
    expect(blank.losses).toEqual(["stop"]);
    const many = await messagesToChat({ stop_sequences: ["1", "2", "3", "4", "5"] }, "gpt-4o");
    expect(many.sent["stop"]).toEqual(["1", "2", "3", "4"]);
    expect(many.losses).toEqual(["stop"]);
  });

  it("47 reports the matched stop sequence if the dialect supports it", async () => {
    const response = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "a" }],
      stop_reason: "stop_sequence",
      stop_sequence: "END",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const received = await runScene({
      client: "chat-completions",
      upstream: "messages",
      body: { model: "m", messages: [hi] },
      response,
    });
    expect((received.json["choices"] as Json[])[0]?.["finish_reason"]).toBe("stop");
  });

  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  const format = { type: "json_schema", json_schema: { name: "answer", schema } };

  it("48 converts a response schema to output_config.format with closed objects", async () => {
    const received = await chatToMessages({ response_format: format });
    expect(received.sent["output_config"]).toEqual({
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false } },
    });
  });

  it("48 forces a tool for models without schemas, and returns its arguments as text", async () => {
    const response = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "t", name: "structured_answer", input: { a: "b" } }],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const received = await runScene({
      client: "chat-completions",
      upstream: "messages",
      model: "claude-3-5-sonnet-20241022",
      body: { model: "m", messages: [hi], response_format: format },
      response,
    });
    expect(received.sent).toMatchObject({
      tools: [{ input_schema: schema }],
      tool_choice: { type: "tool", disable_parallel_tool_use: true },
    });
    expect(received.json["choices"]).toMatchObject([
      { message: { content: '{"a":"b"}' }, finish_reason: "stop" },
    ]);
    expect(received.losses).toEqual([]);
  });

  it("48 forces a tool for JSON without a schema on messages, and drops reasoning with a loss", async () => {
    const asked = { response_format: { type: "json_object" } };
    const response = messagesResponse(
      [{ type: "tool_use", id: "t", name: "structured_answer", input: { a: 1 } }],
      "tool_use",
    );
    const received = await sent(
      "chat-completions",
      "messages",
      { model: "m", messages: [hi], ...asked },
      { response },
    );
    expect(received.sent).toMatchObject({
      tools: [{ name: "structured_answer", input_schema: { type: "object" } }],
      tool_choice: { type: "tool", name: "structured_answer", disable_parallel_tool_use: true },
    });
    expect(received.json["choices"]).toMatchObject([
      { message: { content: '{"a":1}' }, finish_reason: "stop" },
    ]);
    expect(received.losses).toEqual([]);
    expect((await chatToMessages({ ...asked, reasoning_effort: "low" })).losses).toEqual([
      "reasoning-effort",
    ]);
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const withTools = await chatToMessages({ ...asked, tools });
    expect(withTools.losses).toEqual(["structured-output"]);
    expect(withTools.sent["tool_choice"]).toBeUndefined();
  });

  it("48 keeps reasoning if no tool call can be forced, and requests JSON without a schema from DeepSeek", async () => {
    const forced = await runScene({
      client: "chat-completions",
      upstream: "messages",
      capabilities: { "*": { alwaysThinks: true } },
      body: { model: "m", messages: [hi], response_format: { type: "json_object" } },
    });
    expect(forced.losses).toEqual(["structured-output"]);
    const received = await messagesToChat(
      { output_config: { format: { type: "json_schema", schema } } },
      "deepseek-chat",
    );
    expect(received.sent["response_format"]).toEqual({ type: "json_object" });
    expect(received.losses).toEqual(["json-schema"]);
  });

  it("49 converts user and metadata.user_id, and requests caching for a cache key", async () => {
    const received = await chatToMessages({ user: "u1", prompt_cache_key: "k", metadata: { a: "b" } });
    expect(received.sent["metadata"]).toEqual({ user_id: "u1" });
    expect(received.sent["cache_control"]).toEqual({ type: "ephemeral" });
    expect(received.losses).toEqual(["metadata"]);
    expect((await messagesToChat({ metadata: { user_id: "u1" } })).sent["user"]).toBe("u1");
  });

  it("50 keeps at most four breakpoints for a messages upstream, and reports a loss for other dialects", async () => {
    const part = (text: string, ttl?: string) => ({
      type: "text",
      text,
      cache_control: ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl },
    });
    const content = [part("1"), part("2", "1h"), part("3"), part("4"), part("5")];
    const received = await chatToMessages({}, "claude-sonnet-4-5", [{ role: "user", content }]);
    const [message] = received.sent["messages"] as { content: Json[] }[];
    expect(message?.content.map((block) => "cache_control" in block)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(message?.content[1]?.["cache_control"]).toEqual({ type: "ephemeral", ttl: "1h" });
    expect(received.losses).toEqual(["cache-control"]);
  });

  it("51 reports each member that only messages has", async () => {
    const received = await messagesToChat(
      {
        context_management: { edits: [] },
        container: "c",
        service_tier: "standard_only",
        inference_geo: "eu",
      },
      "llama3.3",
    );
    expect(received.losses).toEqual(["service-tier", "context-management", "container", "inference-geo"]);
  });

  it("51 sends a service tier to OpenAI only if OpenAI has it", async () => {
    const lost = await messagesToChat({ service_tier: "standard_only" }, "gpt-5.4");
    expect(lost.sent).not.toHaveProperty("service_tier");
    expect(lost.losses).toEqual(["service-tier"]);
    const kept = await messagesToChat({ service_tier: "auto" }, "gpt-5.4");
    expect(kept.sent["service_tier"]).toBe("auto");
    expect(kept.losses).toEqual([]);
  });

  it("52 reports each member that only chat-completions has", async () => {
    const received = await chatToMessages({
      verbosity: "low",
      modalities: ["text", "audio"],
      audio: { voice: "x" },
      prediction: {},
    });
    expect(received.losses).toEqual(["audio", "prediction", "verbosity", "modalities"]);
  });

  it.each([
    [
      "camelCase",
      {
        safetySettings: [],
        cachedContent: "c",
        generationConfig: { mediaResolution: "LOW", speechConfig: {} },
      },
    ],
    [
      "snake_case",
      {
        safety_settings: [],
        cached_content: "c",
        generation_config: { media_resolution: "LOW", speech_config: {} },
      },
    ],
  ])("53 reports each member that only generative-language has, in %s", async (_, asked) => {
    const contents = [{ parts: [{ text: "Hi" }] }];
    const received = await sent("generative-language", "messages", { contents, ...asked });
    expect(received.losses).toEqual([
      "safety-settings",
      "cached-content",
      "media-resolution",
      "speech-config",
    ]);
  });

  it("55 forwards unknown top-level members only within their own dialect", async () => {
    const received = await chatToMessages({ brand_new: 1 });
    expect(received.sent).not.toHaveProperty("brand_new");
    expect(received.losses).toEqual(["brand-new"]);
  });

  it("rejects a call with losses under strict_translation and names them", async () => {
    const received = await runScene({
      client: "chat-completions",
      upstream: "messages",
      strict: true,
      body: { model: "m", messages: [hi], seed: 1 },
    });
    expect(received.status).toBe(400);
    expect(received.text).toContain("seed");
    expect(received.sent).toBeNull();
    const whole = await runScene({
      client: "chat-completions",
      upstream: "messages",
      strict: true,
      body: { model: "m", messages: [hi] },
    });
    expect(whole.status).toBe(200);
  });

  it("lists losses in x-sallyport-losses", async () => {
    const received = await chatToMessages({ seed: 1, logprobs: true });
    expect(received.headers["x-sallyport-losses"]).toBe("seed,logprobs");
  });

  it("applies the configured capabilities of a model", async () => {
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      model: "my-model",
      capabilities: {
        "my-*": { maxTokensName: "max_completion_tokens", efforts: ["low", "high"], reasoning: "effort" },
      },
      body: {
        model: "m",
        max_tokens: 9,
        messages: [hi],
        thinking: { type: "enabled", budget_tokens: 1_024 },
      },
    });
    expect(received.sent).toMatchObject({ max_completion_tokens: 9, reasoning_effort: "low" });
  });
});
