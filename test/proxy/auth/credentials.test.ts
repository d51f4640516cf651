import { describe, expect, it } from "vitest";
import { collectKeys } from "../../../src/proxy/auth/credentials.ts";

describe("the keys of a request", () => {
  it("are those of every key header, Authorization first", () => {
    const headers = {
      "x-goog-api-key": "d",
      "x-api-key": "c",
      "x-gen-api-key": "b",
      authorization: "Bearer a",
      cookie: "key=e",
      "proxy-authorization": "Bearer f",
    };
    const keys = collectKeys(headers, "/", true);
    expect(keys.slice(0, 2)).toEqual(["a", "b"]);
    expect(keys.toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("are none without a key header", () => {
    expect(collectKeys({}, "/?key=a", false)).toEqual([]);
    expect(collectKeys({ authorization: undefined, "x-api-key": undefined }, "/", true)).toEqual([]);
    expect(collectKeys({ "x-gen-api-key": ["a", "b"] }, "/", true)).toEqual([]);
  });

  it.each([
    ["/v1beta/models?alt=sse&key=a", ["a"]],
    ["/v1beta/models?key=a%2Bb+c", ["a+b c"]],
    ["/v1beta/models?apikey=a", []],
    ["/v1beta/key=a", []],
  ])("are read from the query of %j", (url, keys) => {
    expect(collectKeys({}, url, true)).toEqual(keys);
  });

  it.each([
    ["realtime, openai-insecure-api-key.a, openai-beta.realtime-v1", ["a"]],
    ["openai-insecure-api-key.", []],
    ["realtime", []],
  ])("are read from the WebSocket protocols %j", (protocols, keys) => {
    expect(collectKeys({ "sec-websocket-protocol": protocols }, "/v1/realtime", false)).toEqual(keys);
  });

  it("in the query come after those in the headers", () => {
    expect(collectKeys({ "x-goog-api-key": "a" }, "/?key=b", true)).toEqual(["a", "b"]);
  });
});
