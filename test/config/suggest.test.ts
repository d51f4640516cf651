import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findClosest, findClosestValue, listKeysAt } from "../../src/config/suggest.ts";

describe("the name that is meant", () => {
  it.each([
    ["prot", "port"],
    ["baseUrl", "base_url"],
    ["authMode", "auth_mode"],
    ["upstream", "upstreams"],
    ["hosst", "host"],
    ["colour", undefined],
    ["x", undefined],
  ])("of %s is %s", (name, meant) => {
    expect(findClosest(name, ["port", "host", "base_url", "auth_mode", "upstreams"])).toBe(meant);
  });

  it.each([
    ["openai", "chat-completions"],
    ["Anthropic", "messages"],
    ["gemini", "generative-language"],
    ["mesages", "messages"],
    ["cobol", undefined],
  ])("of the dialect %s is %s", (name, meant) => {
    const dialects = ["messages", "chat-completions", "responses", "generative-language"];
    expect(findClosestValue(name, dialects)).toBe(meant);
  });
});

describe("the keys that a schema allows", () => {
  const schema = z.toJSONSchema(
    z.strictObject({
      list: z.array(z.strictObject({ inner: z.string() })),
      byName: z.record(z.string(), z.strictObject({ one: z.string(), two: z.number().optional() })),
      either: z.union([z.string(), z.strictObject({ env: z.string() })]),
    }),
  );

  it.each([
    [[], ["list", "byName", "either"]],
    [["list", 0], ["inner"]],
    [
      ["byName", "any"],
      ["one", "two"],
    ],
    [["either"], ["env"]],
    [["nowhere"], []],
  ])("at %j", (path, keys) => {
    expect(listKeysAt(schema, path)).toEqual(keys);
  });
});
