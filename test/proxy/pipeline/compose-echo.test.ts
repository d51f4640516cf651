import { describe, expect, it } from "vitest";
import type { TextPart } from "../../../src/proxy/exchange/parts.ts";
import type { ExchangeRequest, FunctionTool } from "../../../src/proxy/exchange/request.ts";
import { composeEcho, echoEvents } from "../../../src/proxy/pipeline/compose-echo.ts";

function request(text: string, members: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    model: "echo",
    stream: false,
    instructions: [],
    turns: [{ role: "user", parts: [{ type: "text", text }] }],
    tools: [],
    sampling: {},
    extensions: {},
    ...members,
  };
}

const tool = (name: string): FunctionTool => ({ type: "function", name, schema: { type: "object" } });
const firstText = (members: Partial<ExchangeRequest>, text = "alpha beta gamma") =>
  composeEcho(request(text, members), "1").candidates[0];
const jsonOf = (candidate: ReturnType<typeof firstText>) => {
  const part = candidate?.parts[0];
  return part?.type === "text" ? JSON.parse(part.text) : undefined;
};
const calledNames = (text: string, members: Partial<ExchangeRequest>) =>
  composeEcho(request(text, members), "1").candidates[0]?.parts.map((part) =>
    part.type === "tool-call" ? part.name : part.type,
  );

describe("the echo", () => {
  it("ends before the first stop sequence and names it", () => {
    const candidate = firstText({ sampling: { stop: ["gamma", "beta"] } });
    expect(candidate).toMatchObject({
      parts: [{ text: "Echo: alpha " }],
      finish: { unified: "stop-sequence", stopSequence: "beta" },
    });
  });

  it("is cut at the output limit, and counts what it returns", () => {
    const response = composeEcho(request("alpha beta gamma", { sampling: { maxOutputTokens: 3 } }), "1");
    expect(response.candidates[0]).toMatchObject({
      parts: [{ text: "Echo: alpha" }],
      finish: { unified: "length" },
    });
    expect(response.usage?.output.total).toBe(3);
  });

  it("returns as many candidates as requested, with separate ids of calls", () => {
    const members = {
      sampling: { candidates: 3 },
      tools: [tool("a")],
      toolChoice: { mode: "required" },
    } as const;
    const { candidates, usage } = composeEcho(request("Hi", members), "1");
    const ids = candidates.flatMap(({ parts }) => parts.map((part) => part.type === "tool-call" && part.id));
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
    expect(usage?.output.total).toBeGreaterThan(0);
  });

  it("gives each token its log probability, the same in a stream", () => {
    const response = composeEcho(
      request("Hi, 你好 🙂!", { sampling: { logprobs: true, topLogprobs: 2 } }),
      "1",
    );
    const [part] = response.candidates[0]?.parts ?? [];
    const { text, logprobs = [] } = part as TextPart;
    expect(logprobs.map(({ token }) => token).join("")).toBe(text);
    expect(logprobs.every(({ top }) => top.length === 2)).toBe(true);
    const streamed = [...echoEvents(response)].flatMap((event) =>
      event.type === "text-delta" ? (event.logprobs ?? []) : [],
    );
    expect(streamed).toEqual(logprobs);
  });

  it("answers with JSON in JSON mode, and with a value of the schema", () => {
    const json = firstText({ output: { type: "json" } });
    expect(jsonOf(json)).toEqual({ echo: "alpha beta gamma" });
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, age: { type: "integer" } },
      required: ["name", "age"],
    };
    const structured = firstText({ output: { type: "json-schema", schema } });
    expect(jsonOf(structured)).toEqual({ name: "example", age: 1 });
  });

  it("calls the tools that a message mentions, and only one where parallel calls are off", () => {
    const tools = [tool("get_weather"), tool("get_time"), tool("Read")];
    const text = "What are the weather and the time? Read it.";
    expect(calledNames(text, { tools })).toEqual(["get_weather", "get_time"]);
    expect(calledNames(text, { tools, parallelToolCalls: false })).toEqual(["get_weather"]);
    expect(calledNames("call Read", { tools })).toEqual(["Read"]);
    expect(calledNames("Read the file", { tools })).toEqual(["text"]);
    expect(calledNames(text, { tools, toolChoice: { mode: "none" } })).toEqual(["text"]);
    expect(calledNames("Hi", { tools, toolChoice: { mode: "required" } })).toEqual(["get_weather"]);
    expect(calledNames("Hi", { tools, toolChoice: { mode: "tool", name: "Read" } })).toEqual(["Read"]);
    const allowed = { mode: "allowed", names: ["get_time"], required: true } as const;
    expect(calledNames("weather", { tools, toolChoice: allowed })).toEqual(["get_time"]);
  });

  it("repeats the user messages of the response that it continues", () => {
    const earlier = [
      { role: "user", parts: [{ type: "text", text: "My name is Ada." }] },
      { role: "assistant", parts: [{ type: "text", text: "Echo: My name is Ada." }] },
    ] as const;
    const { candidates } = composeEcho(request("And now?"), "1", earlier);
    expect(candidates[0]?.parts).toMatchObject([{ text: "Echo: My name is Ada.\nAnd now?" }]);
  });
});
