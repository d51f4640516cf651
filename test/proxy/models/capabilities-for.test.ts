import { describe, expect, it } from "vitest";
import type { ModelData } from "../../../src/config/proxy/model-data.ts";
import { capabilitiesFor } from "../../../src/proxy/models/capabilities-for.ts";

const withWindow = (contextWindow: number): ModelData => ({
  contextWindow,
  maxOutputTokens: undefined,
  takesImages: true,
  reasons: false,
  price: undefined,
});

describe("the capabilities of a model", () => {
  it("follow the model data when it is loaded later, and when it is replaced", () => {
    const overrides = {};
    const windowWith = (data?: ModelData) =>
      capabilitiesFor("chat-completions", "m", overrides, { data }).contextWindow;
    expect(windowWith()).toBeUndefined();
    expect(windowWith(withWindow(1_000))).toBe(1_000);
    expect(windowWith(withWindow(2_000))).toBe(2_000);
    expect(windowWith()).toBeUndefined();
  });

  it("are computed once for the same model data", () => {
    const [overrides, data] = [{}, withWindow(1_000)];
    const find = () => capabilitiesFor("chat-completions", "m", overrides, { data });
    expect(find()).toBe(find());
  });

  it.each([{ vendor: "vertex" }, { host: "europe-west1-aiplatform.googleapis.com" }, { vendor: "bedrock" }])(
    "accept only the bytes of images and documents for Claude at %j",
    (at) => {
      const { images, documents } = capabilitiesFor("messages", "claude-sonnet-5", {}, at);
      expect([images, documents]).toEqual(["base64", "base64"]);
    },
  );

  it.each(["cache_control", "tools.cache_control", "request.cache_control"])(
    "reject %s as an optional member, because cacheControl has replaced it",
    (name) => {
      const overrides = { "m*": { optionalMembers: ["service_tier", name] } };
      expect(() => capabilitiesFor("chat-completions", "m", overrides)).toThrow(
        'capabilities["m*"].optionalMembers.1: is not an optional member: set cacheControl instead',
      );
    },
  );

  it("combine tools of models that are configured with thinking levels, unless combinesTools is set", () => {
    const find = (override: Record<string, unknown>) =>
      capabilitiesFor("generative-language", "gemini-flash-latest", { "*": override }).combinesTools;
    expect(find({})).toBe(false);
    expect(find({ reasoning: "level" })).toBe(true);
    expect(find({ reasoning: "level", combinesTools: false })).toBe(false);
  });

  it("leave out images, documents, top_k and stop sequences for MiniMax's M1 and M2", () => {
    const find = (model: string) => capabilitiesFor("messages", model, {}, { vendor: "minimax" });
    const missing = { images: "none", documents: "none", acceptsTopK: false, acceptsStop: false };
    expect(find("MiniMax-M2.5")).toMatchObject(missing);
    expect(find("minimax-m1")).toMatchObject(missing);
    expect(find("MiniMax-M3")).not.toMatchObject(missing);
  });
});
