import { describe, expect, it } from "vitest";
import { type Json, messagesResponse, messagesStream, type Received, runScene, sse } from "./harness.ts";

const patch = '*** Begin\n+"é"\n';
const signature = "c2ln";

/** Calls a custom tool and a function that also has the argument `input`. */
function callTools(upstream: "messages" | "generative-language", response: Json | string, stream: boolean) {
  const tools = [
    { type: "custom", custom: { name: "patch" } },
    { type: "function", function: { name: "look" } },
  ];
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], tools, stream };
  return runScene({ client: "chat-completions", upstream, body, response });
}

/** Joins the tool calls of a stream's deltas, as clients do. */
function joinCalls({ data }: Received): Json[] {
  const calls: Json[] = [];
  for (const { choices = [] } of data as { choices?: { delta: { tool_calls?: Json[] } }[] }[])
    for (const { index, ...delta } of choices.flatMap((choice) => choice.delta.tool_calls ?? []))
      calls[Number(index)] = join(calls[Number(index)], delta) as Json;
  return calls;
}

function join(earlier: unknown, later: unknown): unknown {
  if (typeof later === "string") return `${earlier ?? ""}${later}`;
  const members = Object.entries(later as Json).map(([name, value]) => [
    name,
    join((earlier as Json | undefined)?.[name], value),
  ]);
  return { ...(earlier as Json | undefined), ...Object.fromEntries(members) };
}

function wholeCalls({ json }: Received): unknown {
  return (json["choices"] as { message: Json }[])[0]?.message["tool_calls"];
}

const uses = [
  { type: "tool_use", id: "t", name: "patch", input: { input: patch } },
  { type: "tool_use", id: "u", name: "look", input: { input: "x" } },
];
const calls = [
  { id: "t", type: "custom", custom: { name: "patch", input: patch } },
  { id: "u", type: "function", function: { name: "look", arguments: '{"input":"x"}' } },
];
const modelCalls = {
  role: "model",
  parts: [{ functionCall: { name: "patch", args: { input: patch } }, thoughtSignature: signature }],
};
const googleCalls = {
  candidates: [{ content: modelCalls, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
};

describe("custom tools of chat-completions clients", () => {
  it("receive their calls as free text", async () => {
    const received = await callTools("messages", messagesResponse(uses, "tool_use"), false);
    expect(wholeCalls(received)).toEqual(calls);
  });

  it("receive their calls as free text in streams", async () => {
    const events = uses.flatMap(({ input, ...block }, index) => [
      { type: "content_block_start", index, content_block: { ...block, input: {} } },
      ...JSON.stringify(input)
        .split(/(?<=\n|:)/)
        .map((partial_json) => ({
          type: "content_block_delta",
          index,
          delta: { type: "input_json_delta", partial_json },
        })),
      { type: "content_block_stop", index },
    ]);
    const received = await callTools("messages", messagesStream(events, "tool_use"), true);
    expect(joinCalls(received)).toEqual(calls);
  });

  it.each([false, true])(
    "receive signed calls of generative-language upstreams (stream: %s)",
    async (stream) => {
      const response = stream ? sse("generative-language", [googleCalls]) : googleCalls;
      const received = await callTools("generative-language", response, stream);
      expect(stream ? joinCalls(received) : wholeCalls(received)).toEqual([
        {
          id: expect.any(String),
          type: "custom",
          custom: { name: "patch", input: patch },
          extra_content: { google: { thought_signature: signature } },
        },
      ]);
    },
  );

  it("may return the signature of an earlier call", async () => {
    const extra_content = { google: { thought_signature: signature } };
    const custom = { name: "patch", input: patch };
    const { sent } = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: {
        model: "m",
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", tool_calls: [{ id: "t", type: "custom", custom, extra_content }] },
          { role: "tool", tool_call_id: "t", content: "done" },
        ],
        tools: [{ type: "custom", custom: { name: "patch" } }],
      },
    });
    expect((sent["contents"] as Json[])[1]).toMatchObject(modelCalls);
  });
});
