import { describe, expect, it } from "vitest";
import { codec as messages } from "../../../../src/proxy/dialects/messages/index.ts";
import type { ExchangeRequest, HostedTool } from "../../../../src/proxy/exchange/request.ts";
import { everything, request, writtenBody } from "../../../support/exchange.ts";

type Block = Readonly<Record<string, unknown>>;

describe("the cache breakpoints of a messages request", () => {
  const cache = { ttl: "5m" } as const;
  const part = (text: string) => ({ type: "text", text, cache }) as const;
  const extras = { cache_control: { type: "ephemeral" } };
  const tool = { type: "function", name: "f", extras } as const;
  const call = { type: "tool-call", id: "c", name: "f", arguments: "{}" } as const;
  const result = { type: "tool-result", callId: "c", content: [part("a"), part("b")], cache } as const;
  const conversation: Partial<ExchangeRequest> = {
    tools: [tool],
    instructions: [part("Be brief.")],
    turns: [
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
      { role: "assistant", parts: [call] },
      { role: "user", parts: [result] },
    ],
  };
  const write = (more: Partial<ExchangeRequest> = {}) => {
    const capabilities = { ...everything, cacheControl: "all" } as const;
    const { body, losses } = writtenBody(messages, request({ ...conversation, ...more }), capabilities);
    const turns = body["messages"] as { readonly content: readonly Block[] }[];
    const written = turns.at(-1)?.content[0] ?? {};
    const lists = [body["tools"], body["system"], written["content"], [written]] as Block[][];
    return { marked: lists.flat().map((block) => "cache_control" in block), body, losses };
  };

  it("50 are the last four of the tools, the instructions, the messages and the content of tool results", () => {
    const { marked, losses } = write();
    expect(marked).toEqual([false, true, true, true, true]);
    expect(losses).toEqual(["cache-control"]);
  });

  it("50 are the last three if automatic caching uses one", () => {
    const { marked, body, losses } = write({ cacheKey: "k" });
    expect(body["cache_control"]).toEqual({ type: "ephemeral" });
    expect(marked).toEqual([false, false, true, true, true]);
    expect(losses).toEqual(["cache-control"]);
  });

  it("50 are kept if there are four", () => {
    const { marked, losses } = write({ tools: [{ ...tool, extras: {} }] });
    expect(marked).toEqual([false, true, true, true, true]);
    expect(losses).toEqual([]);
  });
});

describe("the stop sequences of a messages request", () => {
  const write = (stop: readonly string[], more = {}) => {
    const value = request({ sampling: { stop } });
    const { body, losses } = writtenBody(messages, value, {
      ...everything,
      acceptsBlankStop: false,
      maxStopSequences: 2,
      ...more,
    });
    return [body["stop_sequences"], losses];
  };

  it("47 are at most as many as the vendor accepts, not counting whitespace", () => {
    expect(write(["a", "b"])).toEqual([["a", "b"], []]);
    expect(write(["a", "b", "c"])).toEqual([["a", "b"], ["stop"]]);
    expect(write(["\n", "a", "b"])).toEqual([["a", "b"], ["stop"]]);
  });

  it("47 are dropped if the vendor accepts none", () => {
    expect(write(["a"], { maxStopSequences: 0 })).toEqual([undefined, ["stop"]]);
    expect(write(["a"], { acceptsStop: false })).toEqual([undefined, ["stop"]]);
  });
});

describe("the hosted tools of a messages request", () => {
  const search: HostedTool = { type: "hosted", tool: "file-search", dialect: "responses", raw: {} };

  it("27 are dropped with a loss if an MCP server remains", () => {
    const raw = { type: "url", name: "docs", url: "https://mcp.example.com" };
    const server: HostedTool = { type: "hosted", tool: "mcp", dialect: "messages", raw };
    const { body, losses } = writtenBody(messages, request({ tools: [search, server] }));
    expect(body["mcp_servers"]).toEqual([raw]);
    expect(losses).toEqual(["hosted-tool-file-search"]);
  });

  it("27 are rejected if no other tool remains, without a claim about who runs them", () => {
    expect(() => writtenBody(messages, request({ tools: [search] }))).toThrow(
      "The responses tool file-search is defined by its vendor and has no equivalent at the upstream.",
    );
  });
});
