import { afterEach, describe, expect, it } from "vitest";
import {
  events,
  type FakeUpstream,
  json,
  type Respond,
  startFakeUpstream,
} from "../../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../../support/start-proxy.ts";

type Json = Record<string, unknown>;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const KEYS = ["sk-first-0123456789abcdef", "sk-second-0123456789abcdef"];
const SIGNATURE = "c2lnbmVkIGJ5IHRoZSB2ZW5kb3I=";
const schema = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "weather", parameters: schema } }];

async function setUp(dialect: string, respond: Respond, settings: object = {}) {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: KEYS,
    upstreams: { main: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789" } },
    models: [{ match: "*", upstream: "main" }],
    ...settings,
  });
  closers.push(proxy.close);
  return { proxy, upstream };
}

async function chat(proxy: TestProxy, body: Json, key = KEYS[0]): Promise<string> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const whole = { model: "claude-sonnet-4-5", tools, reasoning_effort: "high", max_tokens: 20_000, ...body };
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(whole),
  });
  expect(response.status).toBe(200);
  return response.text();
}

/** Returns the second turn as LangChain, the AI SDK and openai-node's `runTools` send it: without signed thinking. */
const secondTurn = (id: string) => [
  { role: "user", content: "Weather?" },
  {
    role: "assistant",
    content: "Let me look.",
    tool_calls: [{ id, type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
  },
  { role: "tool", tool_call_id: id, content: "rain" },
];

const lastBody = ({ hits }: FakeUpstream) => JSON.parse(String(hits.at(-1)?.body)) as Record<string, Json[]>;

const CLAUDE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [
    { type: "thinking", thinking: "Paris it is.", signature: SIGNATURE },
    { type: "text", text: "Let me look." },
    { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Paris" } },
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 1, output_tokens: 1 },
};
const claudeEvents = [
  { type: "message_start", message: { ...CLAUDE, content: [], stop_reason: null } },
  ...CLAUDE.content.flatMap((block, index) => {
    const { type } = block;
    const start =
      type === "thinking"
        ? { type, thinking: "", signature: "" }
        : type === "text"
          ? { type, text: "" }
          : { ...block, input: {} };
    const deltas =
      type === "thinking"
        ? [
            { type: "thinking_delta", thinking: block.thinking },
            { type: "signature_delta", signature: SIGNATURE },
          ]
        : type === "text"
          ? [{ type: "text_delta", text: block.text }]
          : [{ type: "input_json_delta", partial_json: '{"city":"Paris"}' }];
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  }),
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

const thinking = { type: "thinking", thinking: "Paris it is.", signature: SIGNATURE };

describe("the memory of tool calls", () => {
  it.each([
    ["whole", false, json(CLAUDE)],
    ["streamed", true, events(claudeEvents)],
  ])(
    "restores Claude's signed thinking for a chat client that sends the call without it (%s)",
    async (_, stream, respond) => {
      const { proxy, upstream } = await setUp("messages", respond);
      await chat(proxy, { stream, messages: [{ role: "user", content: "Weather?" }] });
      upstream.respond = json(CLAUDE);
      await chat(proxy, { messages: secondTurn("toolu_1") });
      const { messages, thinking: options } = lastBody(upstream);
      expect(messages?.[1]?.["content"]).toMatchObject([thinking, { type: "text" }, { type: "tool_use" }]);
      expect(options).toMatchObject({ type: "enabled" });
      expect(proxy.internal).toEqual([]);
    },
  );

  it("is separate for each key, and can be switched off", async () => {
    const { proxy, upstream } = await setUp("messages", json(CLAUDE));
    await chat(proxy, { messages: [{ role: "user", content: "Weather?" }] });
    await chat(proxy, { messages: secondTurn("toolu_1") }, KEYS[1]);
    expect(JSON.stringify(lastBody(upstream))).not.toContain(SIGNATURE);
    const off = await setUp("messages", json(CLAUDE), { remember_thinking: false });
    await chat(off.proxy, { messages: [{ role: "user", content: "Weather?" }] });
    await chat(off.proxy, { messages: secondTurn("toolu_1") });
    expect(JSON.stringify(lastBody(off.upstream))).not.toContain(SIGNATURE);
  });

  it("does not change what the client sends itself", async () => {
    const { proxy, upstream } = await setUp("messages", json(CLAUDE));
    const first = JSON.parse(await chat(proxy, { messages: [{ role: "user", content: "Weather?" }] }));
    const [user, , result] = secondTurn("toolu_1");
    await chat(proxy, { messages: [user, first.choices[0].message, result] });
    const content = lastBody(upstream)["messages"]?.[1]?.["content"] as Json[];
    expect(content.filter(({ type }) => type === "thinking")).toEqual([thinking]);
  });

  it("restores the signatures of Gemini's calls", async () => {
    const parts = [
      { functionCall: { id: "a", name: "weather", args: { city: "Paris" } }, thoughtSignature: SIGNATURE },
      { functionCall: { id: "b", name: "weather", args: { city: "Rome" } } },
    ];
    const gemini = { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] };
    const { proxy, upstream } = await setUp("generative-language", json(gemini));
    const text = await chat(proxy, { messages: [{ role: "user", content: "Weather?" }] });
    const calls = JSON.parse(text).choices[0].message.tool_calls as { id: string; function: Json }[];
    await chat(proxy, {
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: null,
          tool_calls: calls.map(({ id, function: called }) => ({ id, type: "function", function: called })),
        },
        ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "rain" })),
      ],
    });
    expect(lastBody(upstream)["contents"]?.[1]?.["parts"]).toMatchObject([
      { functionCall: { args: { city: "Paris" } }, thoughtSignature: SIGNATURE },
      { functionCall: { args: { city: "Rome" } } },
    ]);
  });

  it("restores encrypted reasoning and the phase of messages for a responses upstream", async () => {
    const message = { type: "message", role: "assistant", status: "completed" };
    const response = {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: SIGNATURE },
        {
          ...message,
          id: "msg_1",
          phase: "commentary",
          content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
        },
        {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "weather",
          arguments: '{"city":"Paris"}',
        },
      ],
    };
    const { proxy, upstream } = await setUp("responses", json(response));
    await chat(proxy, { model: "gpt-5.3", messages: [{ role: "user", content: "Weather?" }] });
    await chat(proxy, {
      model: "gpt-5.3",
      messages: [
        ...secondTurn("call_1"),
        { role: "assistant", content: "It rains." },
        { role: "user", content: "Thanks" },
      ],
    });
    const input = lastBody(upstream)["input"]?.filter(({ role }) => role !== "user" && role !== "developer");
    expect(input).toMatchObject([
      { type: "reasoning", encrypted_content: SIGNATURE },
      { type: "message", phase: "commentary" },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output" },
      { type: "message", phase: "final_answer" },
    ]);
  });
});
