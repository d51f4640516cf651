import { describe, expect, it } from "vitest";
import { importConfiguration } from "../../../src/config/import/import-configuration.ts";

/** Converts deployments, each given as its model name and LiteLLM's model. */
function convert(...deployments: readonly DeploymentOf[]) {
  return convertWith({}, ...deployments);
}

type DeploymentOf = readonly [name: string, model: string, more?: object];

/** Converts deployments with LiteLLM's `router_settings`. */
function convertWith(router_settings: object, ...deployments: readonly DeploymentOf[]) {
  const model_list = deployments.map(([model_name, model, more]) => ({
    model_name,
    litellm_params: { model, ...more },
  }));
  const { proxy, notes } = importConfiguration(
    JSON.stringify({ model_list, router_settings }),
    "config.json",
    {},
  );
  return { upstreams: Object.keys(proxy.upstreams), rules: proxy.models, notes };
}

describe("proxy import of LiteLLM's patterns", () => {
  it("gives a pattern the upstream of its prefix if a deployment with the same connection precedes it", () => {
    expect(convert(["gpt-4o", "openai/gpt-4o"], ["openai/*", "openai/*"])).toEqual({
      upstreams: ["openai"],
      rules: [{ match: "gpt-4o", upstream: "openai", model: "gpt-4o" }],
      notes: [],
    });
  });

  it("keeps the name of a prefix free of other connections", () => {
    const converted = convert(
      ["local", "openai/qwen3", { api_base: "http://10.0.0.5/v1" }],
      ["openai/*", "openai/*"],
    );
    expect(converted.upstreams).toEqual(["openai", "openai-2"]);
    expect(converted.rules).toEqual([{ match: "local", upstream: "openai-2", model: "qwen3" }]);
  });

  it("gives each prefix an upstream, also if their connections are equal", () => {
    expect(convert(["openai/*", "openai/*"], ["my/*", "openai/*"])).toEqual({
      upstreams: ["openai", "my"],
      rules: [],
      notes: [],
    });
  });

  it("converts longer patterns that begin with the prefix", () => {
    const converted = convert(
      ["anthropic/claude-*", "anthropic/claude-*"],
      ["openrouter/google/*", "openrouter/google/*"],
    );
    expect(converted).toEqual({ upstreams: ["anthropic", "openrouter"], rules: [], notes: [] });
  });

  it("converts a pattern with a fixed model to a rule", () => {
    expect(convert(["my/*", "openai/gpt-4"])).toEqual({
      upstreams: ["openai"],
      rules: [{ match: "my/*", upstream: "openai", model: "gpt-4" }],
      notes: [],
    });
  });

  it("explains that a prefix selects a single deployment", () => {
    const { upstreams, rules, notes } = convert(
      ["my/*", "azure/gpt-4", { api_base: "https://example.openai.azure.com" }],
      ["my/*", "openai/*"],
    );
    expect([upstreams, rules]).toEqual([["my", "azure"], []]);
    expect(notes).toEqual([
      {
        setting: "model_list.my/*",
        text: "only one of its deployments is used, because a prefix selects a single upstream",
      },
    ]);
  });

  it("puts longer patterns before shorter ones that also match their names", () => {
    const { rules } = convert(
      ["*", "openrouter/*"],
      ["openai/*", "openrouter/openai/*"],
      ["gpt-4", "openai/gpt-4"],
      ["openai/gpt-*", "azure/gpt-4", { api_base: "https://example.openai.azure.com" }],
    );
    expect(rules.map(({ match }) => match)).toEqual(["gpt-4", "openai/gpt-*", "openai/*", "*"]);
  });

  it("explains that a rule takes precedence over a prefix", () => {
    const { rules, notes } = convert(["*", "openrouter/*"], ["openai/*", "openai/*"]);
    expect(rules).toEqual([{ match: "*", upstream: "openrouter" }]);
    expect(notes).toEqual([
      {
        setting: "model_list.openai/*",
        text: 'the rule "*" takes precedence over this prefix: add a rule before it for each model that the prefix must serve',
      },
    ]);
  });

  it("explains that the fallbacks of a prefix were left out", () => {
    const text = "its fallbacks were left out, because a prefix selects a single upstream";
    for (const settings of [
      { fallbacks: [{ "openai/*": ["haiku"] }] },
      { context_window_fallbacks: [{ "openai/*": ["haiku"] }] },
      { default_fallbacks: ["haiku"] },
    ]) {
      const { notes } = convertWith(
        settings,
        ["openai/*", "openai/*"],
        ["haiku", "anthropic/claude-haiku-4-5"],
      );
      expect(notes).toContainEqual({ setting: "model_list.openai/*", text });
    }
  });

  it("explains that a rule cannot change a part of the model name", () => {
    const { rules, notes } = convert(["my-*", "openai/gpt-*"], ["gpt-*", "openai/gpt-*"]);
    expect(rules.map(({ match }) => match)).toEqual(["gpt-*", "my-*"]);
    expect(notes).toEqual([
      {
        setting: "model_list.my-*",
        text: "upstreams receive the client's model name: a rule cannot change a part of it",
      },
    ]);
  });
});
