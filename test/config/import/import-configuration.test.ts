import { describe, expect, it } from "vitest";
import { importConfiguration } from "../../../src/config/import/import-configuration.ts";
import type { Imported } from "../../../src/config/import/imported.ts";
import { parseConfiguration } from "../../../src/config/load.ts";
import { resolveProxyConfig } from "../../../src/config/proxy/resolve.ts";
import { fileSchema } from "../../../src/config/proxy/schema.ts";
import { readSecrets, secretSources } from "../../../src/config/secret-sources.ts";
import { AppError } from "../../../src/errors.ts";

type Converted = Imported["proxy"] & { readonly [setting: string]: unknown };

function convert(text: string, environment: Record<string, string> = {}) {
  const { program, proxy, notes } = importConfiguration(text, "config.yaml", environment);
  const settings = notes.map(({ setting }) => setting);
  return { program, proxy: proxy as Converted, notes, settings };
}

/** Resolves a converted configuration as the proxy does at its start. */
async function resolve(proxy: object, environment: Record<string, string>) {
  const file = parseConfiguration(JSON.stringify({ proxy }), "config.json");
  const { proxy: settings } = fileSchema.parse(file.value);
  const loaded = { settings, path: "config.json", file, getSource: () => "default" };
  const secrets = await readSecrets(secretSources(settings), environment);
  return resolveProxyConfig(loaded, environment, { localServers: [], generatedKey: undefined, secrets });
}

/** The examples of docs.litellm.ai, joined. */
const LITELLM = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-eu
      api_base: https://my-endpoint-europe.openai.azure.com/
      api_key: os.environ/AZURE_API_KEY_EU
      api_version: 2024-10-21
      rpm: 6
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-ca
      api_base: https://my-endpoint-canada.openai.azure.com/
      api_key: os.environ/AZURE_API_KEY_CA
      rpm: "6"
  - model_name: sonnet
    litellm_params: {model: anthropic/claude-sonnet-4-5, input_cost_per_token: 0.000003, output_cost_per_token: 1.5e-05}
    model_info: {max_input_tokens: 200000}
  - model_name: haiku
    litellm_params:
      model: claude-haiku-4-5
  - model_name: local
    litellm_params:
      model: openai/qwen3
      api_base: http://10.0.0.5:8000/v1
      api_key: none-needed
      some_new_parameter: 1
  - model_name: titan
    litellm_params:
      model: sagemaker/titan-text-express
  - model_name: openai/*
    litellm_params:
      model: openai/*
  - model_name: "*"
    litellm_params:
      model: openrouter/*
router_settings:
  routing_strategy: latency-based-routing
  model_group_alias: {gpt-4: gpt-4o, best: {model: sonnet}}
  fallbacks: [{sonnet: [haiku, gpt-4o]}]
  context_window_fallbacks: [{haiku: [sonnet]}]
  redis_host: cache
  cooldown_time: 30
litellm_settings:
  request_timeout: 600
  drop_params: yes
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
  database_url: postgresql://u:hunter2@db/litellm
`;

describe("proxy import of LiteLLM's configuration", () => {
  const { program, proxy, settings, notes } = convert(LITELLM);
  const rule = (match: string) => proxy.models.find((one) => one.match === match);

  it("recognizes the program and gives settings that the proxy accepts", async () => {
    expect(program).toBe("LiteLLM");
    const keys = [
      "AZURE_API_KEY_EU",
      "AZURE_API_KEY_CA",
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "OPENROUTER_API_KEY",
    ];
    const environment = Object.fromEntries(keys.map((name) => [name, `value-of-${name}`]));
    const config = await resolve(proxy, { ...environment, LITELLM_MASTER_KEY: "sk-1234567890abcdef" });
    expect([...config.upstreams.keys()]).toEqual(Object.keys(proxy.upstreams));
    expect(config.redis).toBe("redis://cache:6379");
    expect(config.authMode).toBe("all_except_health");
  });

  it("gives each Azure deployment its address, key header and limit", () => {
    expect(proxy.upstreams["azure"]).toEqual({
      dialect: "chat-completions",
      base_url:
        "https://my-endpoint-europe.openai.azure.com/openai/deployments/gpt-4o-eu?api-version=2024-10-21",
      headers: { "api-key": { env: "AZURE_API_KEY_EU" } },
      limits: { rpm: 6 },
    });
    expect(rule("gpt-4o")).toEqual({
      match: "gpt-4o",
      upstream: ["azure/gpt-4o-eu", "azure-2/gpt-4o-ca"],
      strategy: "fastest",
    });
  });

  it("shares one upstream among models of a vendor, with their prices and context windows", () => {
    expect(proxy.upstreams["anthropic"]).toEqual({
      dialect: "messages",
      base_url: "https://api.anthropic.com",
      api_key: { env: "ANTHROPIC_API_KEY" },
      prices: { "claude-sonnet-4-5": { input: 3, output: 15 } },
      capabilities: { "claude-sonnet-4-5": { contextWindow: 200_000 } },
    });
  });

  it("turns fallbacks into further targets, and says where they replace the strategy", () => {
    expect(rule("sonnet")).toEqual({
      match: "sonnet",
      upstream: [
        "anthropic/claude-sonnet-4-5",
        "anthropic/claude-haiku-4-5",
        "azure/gpt-4o-eu",
        "azure-2/gpt-4o-ca",
      ],
    });
    expect(rule("haiku")).toMatchObject({ on: ["context_window"] });
    for (const [alias, group] of Object.entries({ "gpt-4": "gpt-4o", best: "sonnet" }))
      expect(rule(alias)).toEqual({ ...rule(group), match: alias });
  });

  it("reaches wildcards by the upstream's name, and puts the rule for all names last", () => {
    expect(proxy.upstreams["openai"]).toMatchObject({ base_url: "https://api.openai.com" });
    expect(rule("openai/*")).toBeUndefined();
    expect(rule("local")).toMatchObject({ upstream: "openai-2", model: "qwen3" });
    expect(proxy.models.at(-1)).toEqual({ match: "*", upstream: "openrouter" });
  });

  it("names everything that it left out, and no secret", () => {
    expect(settings).toEqual(
      expect.arrayContaining([
        "model_list.titan",
        "model_list.local.litellm_params.some_new_parameter",
        "router_settings.cooldown_time",
        "litellm_settings.drop_params",
        "general_settings.database_url",
      ]),
    );
    expect(JSON.stringify(notes)).not.toContain("hunter2");
  });

  it("converts Bedrock and Vertex AI, and prices in model_info", async () => {
    const { proxy: converted, settings: left } = convert(
      `model_list:
  - model_name: sonnet
    litellm_params: {model: bedrock/converse/us.anthropic.claude-sonnet-4-5-v1:0, aws_region_name: os.environ/REGION, aws_secret_access_key: x}
    model_info: {input_cost_per_token: 0.000003, output_cost_per_token: 0.000015, mode: chat}
  - model_name: gemini
    litellm_params: {model: vertex_ai/gemini-2.5-pro, vertex_project: p, vertex_location: us-central1, vertex_credentials: /x/sa.json}
  - model_name: inline
    litellm_params: {model: vertex_ai/claude-sonnet-4-5, vertex_project: p, vertex_credentials: '{"a":"hunter2"}'}`,
      { REGION: "us-east-1" },
    );
    expect(converted.upstreams).toEqual({
      bedrock: {
        vendor: "bedrock",
        dialect: "messages",
        aws: { region: "us-east-1" },
        prices: { "us.anthropic.claude-sonnet-4-5-v1:0": { input: 3, output: 15 } },
      },
      vertex_ai: {
        vendor: "vertex",
        dialect: "generative-language",
        google: { project: "p", location: "us-central1", credentials_file: "/x/sa.json" },
      },
      "vertex_ai-2": { vendor: "vertex", dialect: "messages", google: { project: "p" } },
    });
    expect(left).toEqual([
      "model_list.sonnet.litellm_params.aws_secret_access_key",
      "model_list.inline.litellm_params.vertex_credentials",
    ]);
    const config = await resolve(converted, {});
    expect([...config.upstreams.keys()]).toEqual(["bedrock", "vertex_ai", "vertex_ai-2"]);
  });

  it("keeps a master key written in the file as its digest only", () => {
    const converted = convert("model_list: []\ngeneral_settings: {master_key: sk-1234567890abcdef}");
    expect(JSON.stringify(converted)).not.toContain("sk-1234567890abcdef");
    expect(converted.proxy["api_keys"]).toEqual([
      { name: "litellm-master-key", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it("reads an address from the environment, and leaves the deployment out where it is not set", () => {
    const text = `model_list: [{model_name: a, litellm_params: {model: hosted_vllm/m, api_base: os.environ/VLLM}}]`;
    expect(convert(text, { VLLM: "http://gpu:8000/v1" }).proxy.upstreams["hosted_vllm"]).toMatchObject({
      base_url: "http://gpu:8000/v1",
    });
    expect(convert(text).settings).toEqual(["model_list.a"]);
  });
});

const CCR = `{
  // Comments are allowed here.
  "APIKEY": "a-secret-of-the-team",
  "HOST": "0.0.0.0",
  "PORT": 3456,
  "API_TIMEOUT_MS": 600000,
  "PROXY_URL": "http://127.0.0.1:7890",
  "Providers": [
    {
      "name": "openrouter",
      "api_base_url": "https://openrouter.ai/api/v1/chat/completions",
      "api_key": "$OPENROUTER_API_KEY",
      "models": ["anthropic/claude-sonnet-4.5", "google/gemini-2.5-pro"],
      "transformer": { "use": ["openrouter"] },
    },
    {
      "name": "gemini",
      "api_base_url": "https://generativelanguage.googleapis.com/v1beta/models/",
      "api_key": "\${GEMINI_API_KEY}",
      "models": ["gemini-2.5-flash"],
      "transformer": { "use": ["gemini"] },
    },
    {
      "name": "ollama",
      "api_base_url": "http://localhost:11434/v1/chat/completions",
      "api_key": "ollama",
      "models": ["qwen3"],
      "transformer": { "use": [["maxtoken", { "max_tokens": 16384 }]] },
    },
  ],
  "Router": {
    "default": "openrouter,anthropic/claude-sonnet-4.5",
    "background": "ollama,qwen3",
    "think": "openrouter,google/gemini-2.5-pro",
    "longContext": "gemini,gemini-2.5-flash",
    "webSearch": "elsewhere,model",
  },
}`;

describe("proxy import of claude-code-router's configuration", () => {
  const { program, proxy, settings } = convert(CCR);

  it("recognizes the program and gives settings that the proxy accepts", async () => {
    expect(program).toBe("claude-code-router");
    const config = await resolve(proxy, { OPENROUTER_API_KEY: "one-secret", GEMINI_API_KEY: "other-secret" });
    expect(Object.fromEntries([...config.upstreams].map(([name, one]) => [name, one.baseUrl]))).toEqual({
      openrouter: "https://openrouter.ai/api/v1",
      gemini: "https://generativelanguage.googleapis.com/v1beta",
      ollama: "http://localhost:11434/v1",
    });
    expect(proxy["allow_lan_access"]).toBe(true);
    expect(proxy["port"]).toBe(3456);
  });

  it("keeps the router's order: provider,model, then long context, background and default", () => {
    expect(proxy.models).toEqual([
      {
        match: "openrouter,anthropic/claude-sonnet-4.5",
        upstream: "openrouter",
        model: "anthropic/claude-sonnet-4.5",
      },
      { match: "openrouter,google/gemini-2.5-pro", upstream: "openrouter", model: "google/gemini-2.5-pro" },
      { match: "gemini,gemini-2.5-flash", upstream: "gemini", model: "gemini-2.5-flash" },
      { match: "ollama,qwen3", upstream: "ollama", model: "qwen3" },
      { match: "*", when: { min_tokens: 60_000 }, upstream: "gemini", model: "gemini-2.5-flash" },
      { match: "claude-*haiku*", upstream: "ollama", model: "qwen3" },
      { match: "claude-*", upstream: "openrouter", model: "anthropic/claude-sonnet-4.5" },
    ]);
  });

  it("names everything that it left out", () => {
    expect(settings).toEqual([
      "PROXY_URL",
      "Providers.ollama.transformer",
      "Router.think",
      "Router.webSearch",
    ]);
  });
});

describe("proxy import of anything else", () => {
  it.each([
    ["a: [1", /config\.yaml:\d+: not valid YAML/],
    ['{"a": 1,,}', /not valid JSON/],
    ["upstreams: {}", /has neither model_list nor Providers/],
    ["model_list: [{model_name: a}]", /model_list\.0\.litellm_params: is missing/],
    ["just text", /has neither model_list nor Providers/],
    [
      "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]",
      /not valid YAML/,
    ],
  ])("is refused with the reason: %j", (text, message) => {
    expect(() => convert(text)).toThrow(AppError);
    expect(() => convert(text)).toThrow(message);
  });
});
