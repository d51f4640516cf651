import { describe, expect, it } from "vitest";
import { decodeFinish } from "../../../../src/proxy/dialects/messages/finish.ts";
import { findToolNames, toConverse } from "../../../../src/proxy/upstream/platforms/bedrock-converse.ts";
import {
  ConverseEvents,
  fromConverse,
} from "../../../../src/proxy/upstream/platforms/bedrock-converse-response.ts";

const NOVA = "eu.amazon.nova-pro-v1:0";
const nova = { model: NOVA, toolNames: new Map(), stopSequence: undefined };
const LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0";
const ephemeral = { cache_control: { type: "ephemeral", ttl: "1h" } };
const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } };
const tools = [{ name: "f", input_schema: { type: "object" }, ...ephemeral }];

const sentNames = (converse: object) =>
  [...JSON.stringify(converse).matchAll(/"name":"(document|a)([^"]*)"/g)].map(
    ([, name, rest]) => `${name}${rest}`,
  );

describe("a request for Converse", () => {
  it("has a different name for each document, in all messages and tool results", () => {
    const titled = { ...pdf, title: "A" };
    const result = { type: "tool_result", tool_use_id: "t", content: [pdf] };
    const converse = toConverse(NOVA, {
      messages: [
        { role: "user", content: [{ type: "text", text: "Read" }, pdf, pdf, { ...titled, title: "a" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [result, { ...titled, title: "a" }] },
      ],
    });
    expect(sentNames(converse)).toEqual(["document", "document (2)", "a", "document (3)", "a (2)"]);
  });

  it("has a text beside a document, and no text that is only whitespace", () => {
    const { messages, system } = toConverse(NOVA, {
      system: [{ type: "text", text: " " }],
      messages: [{ role: "user", content: [{ type: "text", text: "\n" }, pdf] }],
    }) as { messages: { content: object[] }[]; system?: unknown };
    expect(system).toBeUndefined();
    expect(messages[0]?.content).toEqual([{ document: expect.anything() }, { text: "document" }]);
  });

  it("has cache points only for Nova, after texts, without ttl and not among the tools", () => {
    const request = {
      system: [{ type: "text", text: "Be brief.", ...ephemeral }],
      tools,
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi", ...ephemeral }] },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1", ...ephemeral }] },
      ],
    };
    expect(JSON.stringify(toConverse(LLAMA, request))).not.toContain("cachePoint");
    const nova = toConverse(NOVA, request);
    const point = { cachePoint: { type: "default" } };
    expect(nova).toMatchObject({
      system: [{ text: "Be brief." }, point],
      messages: [
        { content: [{ text: "Hi" }, point] },
        { content: [{ toolUse: {} }] },
        { content: [{ toolResult: {} }] },
      ],
    });
    expect(JSON.stringify(nova).match(/cachePoint/g)).toHaveLength(2);
  });

  it("has call ids of at most 64 characters, the same in a call and its result", () => {
    const ids = (id: string) => {
      const converse = toConverse(NOVA, {
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "1" }] },
        ],
      });
      return [...JSON.stringify(converse).matchAll(/"toolUseId":"([^"]*)"/g)].map(([, each]) => each);
    };
    const kimi = "functions.mcp__playwright__browser_navigate_back:12";
    const encoded = `call_w_${Buffer.from(kimi).toString("base64url")}`;
    expect(encoded.length).toBeGreaterThan(64);
    expect(ids(encoded)).toEqual([kimi, kimi]);
    expect(ids("tooluse_abc-1")).toEqual(["tooluse_abc-1", "tooluse_abc-1"]);
    const [call, result] = ids(`toolu_${"a".repeat(90)}`);
    expect(call).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/);
    expect(result).toBe(call);
  });

  it("has tool names of at most 64 characters, which the response does not show", () => {
    const name = `mcp__plugin_documentation_server__${"search_documents_".repeat(3)}`;
    expect(name.length).toBeGreaterThan(64);
    const request = {
      tools: [{ name, input_schema: { type: "object" } }, tools[0]],
      tool_choice: { type: "tool", name },
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name, input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] },
      ],
    };
    const sent = JSON.stringify(toConverse(NOVA, request));
    const names = [...sent.matchAll(/"name":"([^"]*)"/g)].map(([, each]) => each);
    const [short = ""] = names;
    expect(short).toMatch(/^mcp__plugin_documentation_server__[a-zA-Z0-9_-]{1,30}$/);
    expect(names.toSorted()).toEqual(["f", short, short, short].toSorted());
    const call = { ...nova, toolNames: findToolNames(request) };
    const toolUse = { toolUseId: "t", name: short, input: {} };
    const content = [{ toolUse }, { toolUse: { ...toolUse, name: "f" } }];
    expect(fromConverse(call, { output: { message: { content } } })["content"]).toMatchObject([
      { type: "tool_use", name },
      { type: "tool_use", name: "f" },
    ]);
    expect(
      new ConverseEvents(call).read("contentBlockStart", { contentBlockIndex: 0, start: { toolUse } }),
    ).toMatchObject([{ content_block: { type: "tool_use", name } }]);
  });

  it("has no tools for the tool choice none, unless the conversation has used them", () => {
    const none = { tools, tool_choice: { type: "none" } };
    const hi = { role: "user", content: "Hi" };
    expect(toConverse(LLAMA, { ...none, messages: [hi] })).not.toHaveProperty("toolConfig");
    const used = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] };
    expect(toConverse(LLAMA, { ...none, messages: [hi, used, result] })).toHaveProperty("toolConfig");
  });
});

describe("a response of Converse", () => {
  it("has contiguous blocks, although Converse also counts empty blocks", () => {
    const events = new ConverseEvents(nova);
    const toolUse = { toolUseId: "t", name: "f" };
    const received = [
      ["messageStart", { role: "assistant" }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Hi" } }],
      ["contentBlockStop", { contentBlockIndex: 1 }],
      ["contentBlockStart", { contentBlockIndex: 3, start: { toolUse } }],
      ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: "{}" } } }],
      ["contentBlockStop", { contentBlockIndex: 3 }],
    ].flatMap(([type, event]) => events.read(String(type), event));
    const indexes = received.flatMap(({ type, index }) => (index === undefined ? [] : [`${type} ${index}`]));
    expect(indexes).toEqual([
      "content_block_start 0",
      "content_block_delta 0",
      "content_block_stop 0",
      "content_block_start 1",
      "content_block_delta 1",
      "content_block_stop 1",
    ]);
  });

  it("has the stop sequence if the request has only one", () => {
    const call = { ...nova, stopSequence: "END" };
    const stopped = { stop_reason: "stop_sequence", stop_sequence: "END" };
    expect(fromConverse(call, { stopReason: "stop_sequence" })).toMatchObject(stopped);
    expect(fromConverse(call, { stopReason: "end_turn" })).toMatchObject({ stop_sequence: null });
    expect(fromConverse(nova, { stopReason: "stop_sequence" })).toMatchObject({ stop_sequence: null });
    const events = new ConverseEvents(call);
    events.read("messageStop", { stopReason: "stop_sequence" });
    expect(events.read("metadata", {})).toMatchObject([{ delta: stopped }, { type: "message_stop" }]);
  });

  it("keeps the stop reason of a malformed response, which is an error for other dialects", () => {
    const response = { output: { message: { content: [] } }, stopReason: "malformed_tool_use" };
    const { stop_reason } = fromConverse(nova, response);
    expect(stop_reason).toBe("malformed_tool_use");
    expect(decodeFinish(String(stop_reason), null, null).unified).toBe("error");
  });
});
