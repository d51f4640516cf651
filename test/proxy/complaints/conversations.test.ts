import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { chatResponse, chatStream, type Json, messagesResponse, sse } from "../translate/harness.ts";
import { post, stage, stream } from "./stage.ts";

const hi = { role: "user" as const, content: "Hi" };
const ask = { model: "m", max_tokens: 9_000, messages: [hi] };
const tools = [{ name: "f", input_schema: { type: "object" as const, properties: {} } }];
const call = (index: number, part: Json) => ({ tool_calls: [{ index, ...part }] });
const opened = (index: number, id: string, text = "") =>
  call(index, { id, type: "function", function: { name: "f", arguments: text } });
const gemini = (parts: Json[], more: Json = {}) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...more }],
});

describe("complaints about other proxies: conversations", () => {
  it("complaint 1: a body in the upstream's own dialect is not rewritten, including signed thinking", async () => {
    const { proxy, upstream } = await stage("messages", {
      models: [{ match: "alias", upstream: "main", model: "claude-real" }],
    });
    const body = `{ "messages":[{"role":"assistant","content":[{"signature":"Eq/+\\u00e9==","thinking":"1.0  \\/ 2e3","type":"thinking"}]}],\n"model" :"alias","n":12345678901234567890,"max_tokens":9}`;
    const response =
      '{"type":"message", "content":[{"type":"thinking","thinking":"\\u00e9","signature":"x"}] }';
    upstream.respond = json(response);
    expect(await (await post(proxy, "/v1/messages", body)).text()).toBe(response);
    expect(upstream.hits[0]?.body.toString()).toBe(body.replace('"alias"', '"claude-real"'));
  });

  it("complaint 2: a signature never reaches another vendor and returns to its own", async () => {
    const google = await stage("generative-language");
    google.upstream.respond = json(
      gemini([{ text: "Hm", thought: true, thoughtSignature: "Z29vZ2xl" }, { text: "Hello" }]),
    );
    const first = await google.anthropic.messages.create(ask);
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    const messages = [hi, { role: "assistant" as const, content: first.content }, hi];
    const claude = await stage("messages");
    await claude.anthropic.messages.create({ ...ask, messages });
    expect(claude.sent()["messages"]).toEqual([
      hi,
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      hi,
    ]);
    await google.anthropic.messages.create({ ...ask, messages });
    expect(google.sent()["contents"]).toMatchObject([
      {},
      { parts: [{ thought: true, thoughtSignature: "Z29vZ2xl" }, { text: "Hello" }] },
      {},
    ]);
  });

  it("complaint 3: the client keeps a call's signature; without one only the first call of a turn gets the placeholder", async () => {
    const { anthropic, upstream, sent } = await stage("generative-language");
    const parts = [
      { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "f", args: { a: 2 } } },
    ];
    upstream.respond = json(gemini(parts));
    const first = await anthropic.messages.create({ ...ask, model: "gemini-3-pro", tools });
    const uses = first.content.filter((block) => block.type === "tool_use");
    const results = uses.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "1" }));
    const second = async (content: typeof first.content) => {
      const messages = [
        hi,
        { role: "assistant" as const, content },
        { role: "user" as const, content: results },
      ];
      await anthropic.messages.create({ ...ask, model: "gemini-3-pro", tools, messages });
      return Object(sent()["contents"])[1].parts.map((part: Json) => part["thoughtSignature"]);
    };
    expect(await second(first.content)).toEqual(["c2ln", undefined]);
    expect(await second(uses)).toEqual(["skip_thought_signature_validator", undefined]);
  });

  it("complaint 4: blocks have contiguous indexes, one is open at a time, and none is empty, even if deltas interleave", async () => {
    const { anthropic, upstream } = await stage("chat-completions");
    const delta = fc.oneof(
      fc.constantFrom("a", "").map((content): Json => ({ content })),
      fc.constantFrom("t", "").map((reasoning_content): Json => ({ reasoning_content })),
      fc.constantFrom(0, 1, 2).map((index) => call(index, { function: { arguments: " " } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(delta, { maxLength: 12 }), async (deltas) => {
        const calls = [0, 1, 2].map((index) => opened(index, `c${index}`, "{}"));
        upstream.respond = stream(chatStream([...calls, ...deltas], "tool_calls"));
        let open: number | undefined;
        let next = 0;
        for await (const event of await anthropic.messages.create({ ...ask, tools, stream: true })) {
          if (event.type === "content_block_start") {
            expect([open, event.index]).toEqual([undefined, next++]);
            open = event.index;
          } else if (event.type === "content_block_delta") expect(event.index).toBe(open);
          else if (event.type === "content_block_stop") open = undefined;
        }
        const whole = await anthropic.messages.stream({ ...ask, tools }).finalMessage();
        expect(whole.content.filter((block) => block.type === "tool_use")).toHaveLength(3);
        const empty = whole.content.some((block) => block.type === "text" && block.text === "");
        expect([open, empty, whole.stop_reason]).toEqual([undefined, false, "tool_use"]);
      }),
      { numRuns: 15 },
    );
  });

  it("complaint 5: tool results are neither duplicated, lost nor orphaned, and texts keep their order", async () => {
    const { anthropic, sent } = await stage("chat-completions");
    const use = (id: string) => ({ type: "tool_use" as const, id, name: "f", input: {} });
    const result = (id: string, content: string) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content,
    });
    await anthropic.messages.create({
      ...ask,
      tools,
      messages: [
        hi,
        { role: "assistant", content: [use("a"), use("b"), use("c")] },
        { role: "user", content: [{ type: "text", text: "one" }, result("b", "B"), result("z", "?")] },
        { role: "user", content: [result("a", "A"), result("b", "again"), { type: "text", text: "two" }] },
      ],
    });
    const [, , ...rest] = Object(sent()["messages"]) as Json[];
    expect(rest.slice(0, 3)).toEqual([
      { role: "tool", tool_call_id: "a", content: "A" },
      { role: "tool", tool_call_id: "b", content: "B" },
      { role: "tool", tool_call_id: "c", content: expect.stringMatching(/^Error/) },
    ]);
    expect(JSON.stringify(rest.slice(3))).toMatch(/one.*two/);
    expect(JSON.stringify(rest)).not.toMatch(/again|\?/);
  });

  it("complaint 6: previous_response_id includes the calls of stored outputs, and an unknown id is rejected", async () => {
    const { openai, upstream, sent } = await stage("chat-completions");
    const tool_calls = [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }];
    upstream.respond = json(chatResponse({ content: null, tool_calls }, "tool_calls"));
    const first = await openai.responses.create({ model: "m", input: "Go" });
    const input = [{ type: "function_call_output" as const, call_id: "c1", output: "1" }];
    const again = (previous_response_id: string) =>
      openai.responses.create({ model: "m", input, previous_response_id });
    await again(first.id);
    expect(sent()["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "c1" }] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ]);
    await expect(again("resp_none")).rejects.toMatchObject({
      status: 400,
      code: "previous_response_not_found",
    });
  });

  it("complaint 7: a call keeps the vendor's id in both directions, and generated ids are unique", async () => {
    const claude = await stage("messages");
    const use = { type: "tool_use", id: "toolu_01AbC", name: "f", input: {} };
    claude.upstream.respond = json(messagesResponse([use], "tool_use"));
    const completion = await claude.openai.chat.completions.create({ model: "m", messages: [hi] });
    expect(completion.choices[0]?.message.tool_calls?.[0]?.id).toBe("toolu_01AbC");
    const google = await stage("generative-language");
    google.upstream.respond = json(
      gemini([{ functionCall: { name: "f", args: {} } }, { functionCall: { name: "f", args: {} } }]),
    );
    const ids = new Set<string>();
    const local = await stage("chat-completions");
    const bare = { id: "", type: "function", function: { name: "f", arguments: "{}" } };
    local.upstream.respond = json(chatResponse({ content: null, tool_calls: [bare, bare] }, "tool_calls"));
    for (let turn = 0; turn < 3; turn += 1) {
      const { content } = await local.anthropic.messages.create({ ...ask, tools });
      for (const block of content) if (block.type === "tool_use") ids.add(block.id);
    }
    expect(ids.size).toBe(6);
    for (let turn = 0; turn < 3; turn += 1) {
      const { content } = await google.anthropic.messages.create({ ...ask, tools });
      for (const block of content) if (block.type === "tool_use") ids.add(block.id);
    }
    expect(ids.size).toBe(12);
  });

  it("complaint 11: alternating thinking and text is sent in order, each piece in a block of its kind", async () => {
    const { anthropic, upstream } = await stage("chat-completions");
    const deltas = [..."think"].map((reasoning_content): Json => ({ reasoning_content }));
    deltas.push(...[..."speak"].map((content): Json => ({ content, reasoning_content: "" })));
    upstream.respond = stream(chatStream(deltas));
    const { content } = await anthropic.messages.stream(ask).finalMessage();
    expect(content).toMatchObject([
      { type: "thinking", thinking: "think" },
      { type: "text", text: "speak" },
    ]);
  });

  it("complaint 12: a character that is split over packets arrives unchanged in every dialect", async () => {
    const { proxy, upstream } = await stage("generative-language");
    const bytes = Buffer.from(sse("generative-language", [gemini([{ text: "é🙂東" }])]));
    upstream.respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    for (const [path, body] of [
      ["/v1/messages", ask],
      ["/v1/chat/completions", { model: "m", messages: [hi] }],
      ["/v1/responses", { model: "m", input: "Hi" }],
    ] as const)
      expect(await (await post(proxy, path, { ...body, stream: true })).text()).toContain("é🙂東");
  });

  it("complaint 13: vendors that require their thinking back receive reasoning_content", async () => {
    const { anthropic, upstream, sent } = await stage("chat-completions");
    upstream.respond = json(chatResponse({ content: "Hello", reasoning_content: "Hm" }));
    const { content } = await anthropic.messages.create({ ...ask, model: "deepseek-reasoner" });
    const messages = [hi, { role: "assistant" as const, content }, hi];
    await anthropic.messages.create({ ...ask, model: "deepseek-reasoner", messages });
    expect(Object(sent()["messages"])[1]).toEqual({
      role: "assistant",
      content: "Hello",
      reasoning_content: "Hm",
    });
    await anthropic.messages.create({ ...ask, model: "gpt-4o", messages });
    expect(Object(sent()["messages"])[1]).toEqual({ role: "assistant", content: "Hello" });
  });
});
