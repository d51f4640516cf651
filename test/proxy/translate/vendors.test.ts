import { describe, expect, it } from "vitest";
import { chatResponse, chatStream, type Json, runScene, sse } from "./harness.ts";

/** Special requirements of vendors of the chat-completions dialect, detected by the model's name or the host. */
const hi = { role: "user", content: "Hi" };
const base = { model: "m", max_tokens: 9, messages: [hi] };
const toChat = (body: Json, model: string, host?: string, more: Json = {}) =>
  runScene({
    client: "messages",
    upstream: "chat-completions",
    body: { ...base, ...body },
    model,
    host,
    ...more,
  });
const called = (thinking: Json[] = [], id = "toolu_01A09q90qw90lq917835lq9") => [
  hi,
  { role: "assistant", content: [...thinking, { type: "tool_use", id, name: "f", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "1" }] },
];
const unsigned = { type: "thinking", thinking: "Hmm", signature: "sally1.chat-completions." };

describe("37 reasoning options at chat-completions vendors", () => {
  it.each([
    ["deepseek-reasoner", "api.deepseek.com", { reasoning_effort: "high" }],
    ["glm-5.2", "api.z.ai", { reasoning_effort: "high" }],
    ["mistral-small-latest", "api.mistral.ai", { reasoning_effort: "high" }],
    ["sonar-reasoning-pro", "api.perplexity.ai", { reasoning_effort: "high" }],
    ["anthropic/claude-sonnet-4.5", "openrouter.ai", { reasoning: { effort: "high" } }],
    ["claude-4-sonnet", "acme.snowflakecomputing.com", { reasoning: { effort: "high" } }],
  ])("are sent to %s at %s", async (model, host, members) => {
    const received = await toChat({ output_config: { effort: "high" } }, model, host);
    expect(received.sent).toMatchObject(members);
    expect(received.losses).toEqual([]);
  });

  it.each([
    ["kimi-k3", "none", "low"],
    ["kimi-k3", "medium", "low"],
    ["kimi-k3", "xhigh", "high"],
    ["kimi-k2.7-code", "none", undefined],
  ])("are sent to %s at Moonshot in the form that it accepts: %s as %s", async (model, effort, sent) => {
    const asked = effort === "none" ? { thinking: { type: "disabled" } } : { output_config: { effort } };
    const received = await toChat(asked, model, "api.moonshot.ai");
    expect(received.sent).not.toHaveProperty("thinking");
    expect(received.sent["reasoning_effort"]).toBe(sent);
    expect(received.losses).toEqual(["reasoning-effort"]);
  });

  it("are sent to Kimi at Moonshot unchanged if it supports them", async () => {
    const max = await toChat({ output_config: { effort: "max" } }, "kimi-k3", "api.moonshot.ai");
    expect(max.sent["reasoning_effort"]).toBe("max");
    const off = await toChat({ thinking: { type: "disabled" } }, "kimi-k2.6", "api.moonshot.ai");
    expect(off.sent["thinking"]).toEqual({ type: "disabled" });
    expect([max.losses, off.losses]).toEqual([[], []]);
  });

  it("are a loss if a model that thinks by default cannot be stopped from thinking", async () => {
    const off = await toChat({ thinking: { type: "disabled" } }, "moonshotai/kimi-k3");
    expect(off.losses).toEqual(["reasoning-effort"]);
  });

  it("are a budget for OpenRouter if the client set one", async () => {
    const thinking = { type: "enabled", budget_tokens: 3000 };
    const received = await toChat(
      { thinking, max_tokens: 9000 },
      "anthropic/claude-sonnet-4.5",
      "openrouter.ai",
    );
    expect(received.sent["reasoning"]).toEqual({ max_tokens: 3000 });
  });

  it.each([
    ["deepseek-v4", "api.deepseek.com", { thinking: { type: "disabled" } }, []],
    ["glm-5.3", "api.z.ai", { thinking: { type: "disabled" } }, []],
    ["qwen/qwen3-32b", "api.groq.com", { reasoning_effort: "none" }, []],
    ["mistral-small-latest", "api.mistral.ai", { reasoning_effort: "none" }, []],
    ["openai/gpt-5", "openrouter.ai", { reasoning: { effort: "none" } }, []],
    ["qwen3-32b", undefined, {}, ["reasoning-effort"]],
    ["glm-4.6", undefined, {}, ["reasoning-effort"]],
    ["gpt-4o", undefined, {}, []],
  ])("switch reasoning off for %s at %s, or are a loss", async (model, host, members, losses) => {
    const received = await toChat({ thinking: { type: "disabled" } }, model, host);
    expect(received.sent).toMatchObject(members);
    expect(received.losses).toEqual(losses);
  });

  it("never switch reasoning off if the client requested reasoning", async () => {
    const low = await toChat({ output_config: { effort: "low" } }, "qwen/qwen3-32b", "api.groq.com");
    expect(low.sent).not.toHaveProperty("reasoning_effort");
    const small = await toChat({ output_config: { effort: "low" } }, "mistral-small", "api.mistral.ai");
    expect(small.sent).toMatchObject({ reasoning_effort: "high" });
  });
});

describe("43 thinking that a vendor requires in later turns", () => {
  it.each([
    ["gpt-oss-120b", undefined, { reasoning: "Hmm" }],
    ["deepseek-chat", undefined, { reasoning_content: "Hmm" }],
    ["some-alias", "api.deepseek.com", { reasoning_content: "Hmm" }],
  ])("is sent to %s at %s", async (model, host, members) => {
    const received = await toChat({ messages: called([unsigned]) }, model, host);
    expect((received.sent["messages"] as Json[])[1]).toMatchObject(members);
    expect(received.losses).toEqual([]);
  });

  it("is empty for a call without thinking", async () => {
    const received = await toChat({ messages: called() }, "deepseek-reasoner");
    expect((received.sent["messages"] as Json[])[1]).toMatchObject({ reasoning_content: "" });
    const plain = await toChat(
      { messages: [hi, { role: "assistant", content: "Yes" }, hi] },
      "deepseek-chat",
    );
    expect((plain.sent["messages"] as Json[])[1]).not.toHaveProperty("reasoning_content");
  });

  it.each(["openai/gpt-5", "openai/o4-mini", "anthropic/claude-sonnet-4.5"])(
    "is sent as the encrypted reasoning_details of %s behind a gateway",
    async (model) => {
      const detail = {
        type: "reasoning.encrypted",
        data: "gAAAA",
        id: "rs_1",
        format: "openai-responses-v1",
        index: 0,
      };
      const response = chatResponse({ content: "ok", reasoning_details: [detail] });
      const received = await toChat({}, model, "openrouter.ai", { response });
      const turn = { role: "assistant", content: received.json["content"] };
      const next = await toChat({ messages: [hi, turn, hi] }, model, "openrouter.ai");
      expect((next.sent["messages"] as Json[])[1]).toMatchObject({ reasoning_details: [detail] });
      expect(next.losses).toEqual([]);
    },
  );
});

describe("21 call ids for Mistral", () => {
  it("have nine letters and digits, the same in call and result and in every request", async () => {
    for (const [model, host] of [
      ["mistral-large-latest", undefined],
      ["ministral-8b", undefined],
      ["an-alias", "api.mistral.ai"],
    ] as const) {
      const ids = [];
      for (let turn = 0; turn < 2; turn += 1) {
        const received = await toChat({ messages: called() }, model, host);
        const [, call, result] = received.sent["messages"] as [Json, { tool_calls: { id: string }[] }, Json];
        expect(call.tool_calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
        expect(result["tool_call_id"]).toBe(call.tool_calls[0]?.id);
        ids.push(call.tool_calls[0]?.id);
      }
      expect(ids[0]).toBe(ids[1]);
    }
  });

  it("keep Mistral's own ids", async () => {
    const received = await toChat({ messages: called([], "D681PevKs") }, "mistral-large-latest");
    expect((received.sent["messages"] as Json[])[2]).toMatchObject({ tool_call_id: "D681PevKs" });
  });
});

describe("79 usage in streams", () => {
  it("is not requested from Mistral, which rejects the option and reports usage anyway", async () => {
    const mistral = await toChat({ stream: true }, "mistral-large-latest", "api.mistral.ai");
    expect(mistral.sent).not.toHaveProperty("stream_options");
    const other = await toChat({ stream: true }, "mistral-large-latest", "localhost");
    expect(other.sent).toHaveProperty("stream_options");
  });

  it("is read from Groq's own member", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
    const end = {
      id: "c",
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      x_groq: { id: "r", usage },
    };
    const response =
      chatStream([{ content: "Hi" }]).replace(/data: \[DONE\][\s\S]*/, "") + sse("chat-completions", [end]);
    const received = await toChat({ stream: true }, "llama-3.3", "api.groq.com", { response });
    expect(received.outcome.usage).toMatchObject({ input: { total: 7 }, output: { total: 5 } });
  });

  it("counts reasoning outside the output if it exceeds the output", async () => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 96 },
    };
    const received = await toChat({}, "google/gemini-3-pro", "ai-gateway.vercel.sh", {
      response: chatResponse({ content: "Hi" }, "stop", { usage }),
    });
    expect(received.outcome.usage?.output).toEqual({ total: 106, reasoning: 96 });
  });
});

describe("59 thoughts of several items", () => {
  const reasoning = (text: string) => ({
    type: "reasoning",
    id: "r",
    summary: [{ type: "summary_text", text }],
  });
  const outputText = { type: "output_text", text: "Hi", annotations: [] };
  const message = { type: "message", id: "m", role: "assistant", content: [outputText] };
  const output = [reasoning("One."), reasoning("Two."), message];
  const response = { id: "resp_1", object: "response", status: "completed", output };

  it("are separated in a chat-completions response", async () => {
    const ask = { client: "chat-completions", upstream: "responses" } as const;
    const whole = await runScene({ ...ask, body: { model: "m", messages: [hi] }, response });
    const [choice] = whole.json["choices"] as { message: Json }[];
    expect(choice?.message["reasoning_content"]).toBe("One.\n\nTwo.");
    const stream = await runScene({
      ...ask,
      body: { model: "m", messages: [hi], stream: true },
      response: sse("responses", [{ type: "response.completed", response }]),
    });
    const deltas = stream.data.map((chunk) => (chunk["choices"] as { delta: Json }[])[0]?.delta ?? {});
    expect(deltas.map((delta) => delta["reasoning_content"] ?? "").join("")).toBe("One.\n\nTwo.");
  });
});

describe("50 cache breakpoints at OpenRouter", () => {
  const cache_control = { type: "ephemeral" };
  const hour = { type: "ephemeral", ttl: "1h" };
  const marked = (text: string, mark: Json = cache_control) => ({ type: "text", text, cache_control: mark });
  const id = "toolu_01A09q90qw90lq917835lq9";
  const body = {
    system: [{ type: "text", text: "You are Claude Code." }, marked("Rules", hour)],
    messages: [
      { role: "user", content: [{ type: "text", text: "Reminder" }, marked("Hi")] },
      { role: "assistant", content: [marked("Look:"), { type: "tool_use", id, name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "1", cache_control }] },
    ],
  };

  it.each(["anthropic/claude-sonnet-5", "google/gemini-3-pro"])("are sent to %s", async (model) => {
    const received = await toChat(body, model, "openrouter.ai");
    expect(received.sent["messages"]).toMatchObject([
      { role: "system", content: [{ type: "text", text: "You are Claude Code." }, marked("Rules", hour)] },
      { role: "user", content: [{ type: "text", text: "Reminder" }, marked("Hi")] },
      { role: "assistant", content: [marked("Look:")], tool_calls: [{ id }] },
      { role: "tool", tool_call_id: id, content: [marked("1")] },
    ]);
    expect(received.losses).toEqual([]);
  });

  it("are sent on tools and for the whole request to Claude, and are losses for Gemini", async () => {
    const tools = [{ name: "f", input_schema: { type: "object" }, cache_control: hour }];
    const asked = { tools, cache_control };
    const claude = await toChat(asked, "anthropic/claude-sonnet-5", "openrouter.ai");
    expect(claude.sent).toMatchObject({
      tools: [{ type: "function", cache_control: hour, function: { name: "f" } }],
      cache_control,
    });
    expect(claude.losses).toEqual([]);
    const gemini = await toChat(asked, "google/gemini-3-pro", "openrouter.ai");
    expect(gemini.sentText).not.toContain("cache_control");
    expect(gemini.losses).toEqual(["cache-control"]);
  });

  it("are losses for other models and at other vendors, and on calls and images", async () => {
    const elsewhere = [
      await toChat(body, "openai/gpt-5", "openrouter.ai"),
      await toChat(body, "anthropic/claude-sonnet-5"),
    ];
    for (const received of elsewhere) {
      expect(received.sentText).not.toContain("cache_control");
      expect(received.sent["messages"]).toMatchObject([
        { content: "You are Claude Code.\n\nRules" },
        {},
        {},
        {},
      ]);
      expect(received.losses).toEqual(["cache-control"]);
    }
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
    const image = { role: "user", content: [{ type: "image", source, cache_control }] };
    const shown = await toChat({ messages: [image] }, "anthropic/claude-sonnet-5", "openrouter.ai");
    expect(shown.losses).toEqual(["cache-control"]);
  });
});

describe("49 a cache key and metadata at OpenRouter", () => {
  const members = { prompt_cache_key: "session-1", metadata: { a: "b" }, service_tier: "flex" };

  it.each(["anthropic/claude-sonnet-5", "google/gemini-3-pro", "z-ai/glm-5.3", "openai/gpt-5"])(
    "are sent to %s",
    async (model) => {
      const body = { model: "m", input: "Hi", store: false, ...members };
      const scene = { client: "responses", upstream: "chat-completions", body, model } as const;
      const received = await runScene({ ...scene, host: "openrouter.ai" });
      expect(received.sent).toMatchObject(members);
      expect(received.losses).toEqual([]);
      const elsewhere = await runScene({ ...scene, model: "glm-5.3" });
      expect(elsewhere.losses).toEqual(["prompt-cache-key", "service-tier", "metadata"]);
    },
  );
});

describe("37 reasoning in requests with functions", () => {
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const asked = { output_config: { effort: "high" } };

  it.each([
    ["gpt-5.4", "api.openai.com"],
    ["gpt-5.6-sol", "api.openai.com"],
    ["gpt-5.5", "acme.openai.azure.com"],
    ["gpt-6-luna", "api.openai.com"],
    ["gpt-6.1-terra", "acme.openai.azure.com"],
  ])("is disabled for %s at %s, which rejects both together", async (model, host) => {
    const received = await toChat({ tools, ...asked }, model, host);
    expect(received.sent["reasoning_effort"]).toBe("none");
    expect(received.losses).toEqual(["reasoning-effort"]);
    const silent = await toChat({ tools }, model, host);
    expect(silent.sent["reasoning_effort"]).toBe("none");
    expect(silent.losses).toEqual([]);
    const without = await toChat(asked, model, host);
    expect(without.sent["reasoning_effort"]).toBe("high");
    expect(without.losses).toEqual([]);
  });

  it.each([
    ["gpt-5", "api.openai.com"],
    ["openai/gpt-5.6-sol", "openrouter.ai"],
  ])("is kept for %s at %s", async (model, host) => {
    const received = await toChat({ tools, ...asked }, model, host);
    expect(received.sent).toMatchObject(
      host === "openrouter.ai" ? { reasoning: { effort: "high" } } : { reasoning_effort: "high" },
    );
    expect(received.losses).toEqual([]);
  });
});

describe("the request for a GPT-6 model", () => {
  const request = { temperature: 0.5, top_p: 0.9, stop_sequences: ["END"], output_config: { effort: "max" } };

  it("has only members that the model accepts in the chat-completions dialect", async () => {
    const received = await toChat(request, "gpt-6-astra", "api.openai.com");
    expect(received.sent).toEqual({
      model: "gpt-6-astra",
      messages: [hi],
      max_completion_tokens: 9,
      reasoning_effort: "xhigh",
    });
    expect(received.losses).toEqual(["temperature", "top-p", "stop", "reasoning-effort"]);
  });

  it("has the effort max in the responses dialect, and none only if the model supports it", async () => {
    const ask = (body: Json, model: string) =>
      runScene({
        client: "messages",
        upstream: "responses",
        body: { ...base, max_tokens: 99, ...body },
        model,
      });
    const off = { thinking: { type: "disabled" } };
    for (const model of ["gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-sol"]) {
      expect((await ask(request, model)).sent["reasoning"]).toMatchObject({ effort: "max" });
      const received = await ask(off, model);
      expect(received.sent["reasoning"]).toMatchObject({ effort: "low" });
      expect(received.losses).toEqual(["reasoning-effort"]);
    }
    for (const model of ["gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"]) {
      const received = await ask(off, model);
      expect(received.sent["reasoning"]).toMatchObject({ effort: "none" });
      expect(received.losses).toEqual([]);
      expect((await toChat(off, model, "api.openai.com")).sent["reasoning_effort"]).toBe("none");
    }
  });

  it("is rejected with the setting that it needs if it has functions and the model always reasons", async () => {
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    const received = await toChat({ tools }, "gpt-6-astra", "api.openai.com");
    expect([received.status, received.json]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('Set "dialect": "responses"') } },
    ]);
    expect(received.sentText).toBe("null");
  });
});
