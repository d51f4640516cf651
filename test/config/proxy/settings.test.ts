import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { versionedUrl } from "../../../src/config/base-url.ts";
import { effectiveSettings } from "../../../src/config/proxy/effective.ts";
import { resolveProxyConfig } from "../../../src/config/proxy/resolve.ts";
import { loadProxySettings, type ProxyFlags } from "../../../src/config/proxy/settings.ts";
import { AppError } from "../../../src/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "proxy-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

let serial = 0;
function fileWith(text: string): string {
  serial += 1;
  const path = join(folder, `config-${serial}.json`);
  writeFileSync(path, text);
  return path;
}

const load = (text: string, environment: Record<string, string> = {}, flags: ProxyFlags = {}) =>
  loadProxySettings(environment, { config: fileWith(text), ...flags });

const found = { localServers: [], generatedKey: undefined };

async function resolved(text: string, environment: Record<string, string> = {}) {
  return resolveProxyConfig(await load(text, environment), environment, found);
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error(`expected an AppError, got ${error}`);
}

describe("the proxy's settings", () => {
  it("come from defaults, file, environment and flags, the later ones winning, each with its source", async () => {
    const text =
      '{\n  // the door\n  "proxy": {\n    "port": 1111,\n    "host": "::1",\n    "auth_mode": "off",\n  },\n}';
    const environment = { SERVICE_PROXY_PORT: "2222", SERVICE_PROXY_AUTH_MODE: "strict" };
    const loaded = await load(text, environment, { port: "3333" });
    const sources = Object.fromEntries(
      effectiveSettings(loaded).map(({ key, value, source }) => [key, [value, source]]),
    );
    expect(sources).toMatchObject({
      port: [3333, "flag --port"],
      auth_mode: ["strict", "environment SERVICE_PROXY_AUTH_MODE"],
      host: ["::1", "file:5"],
      allow_lan_access: [false, "default"],
    });
  });

  it("are shown without the secrets among them", async () => {
    const headers = { "x-password": "hunter2", "x-team": "red" };
    const upstream = { dialect: "messages", base_url: "https://a.test", api_key: "sk-0123456789", headers };
    const loaded = await load(JSON.stringify({ proxy: { upstreams: { own: upstream } } }));
    const shown = Object.fromEntries(effectiveSettings(loaded).map(({ key, value }) => [key, value]));
    expect(shown).toMatchObject({
      "upstreams.own.api_key": "[redacted]",
      "upstreams.own.headers.x-password": "[redacted]",
      "upstreams.own.headers.x-team": "red",
    });
  });

  it("work without any file", async () => {
    const loaded = await loadProxySettings({ XDG_CONFIG_HOME: folder }, {});
    expect(loaded.file).toBeUndefined();
    expect(loaded.settings.port).toBe(8045);
    const config = resolveProxyConfig(loaded, {}, found);
    expect([...config.upstreams.keys()]).toEqual(["echo"]);
  });

  it.each([
    ['{"proxy": {\n"auth_mode": "sometimes"}}', /:2: proxy\.auth_mode: /],
    ['{"proxy": {\n\n"auth_mod": "off"}}', /:3: proxy\.auth_mod: unknown key/],
    [
      '{"proxy": {"upstreams": {\n"a": {"dialect": "telepathy", "base_url": "http://x"}}}}',
      /:2: proxy\.upstreams\.a\.dialect/,
    ],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages",\n"base_url": "ftp://x"}}}}',
      /:2: proxy\.upstreams\.a\.base_url/,
    ],
    ['{"proxy": {"models": [\n{"match": "*"}]}}', /:2: proxy\.models\.0\.upstream/],
    ['{"proxy": {"port": ', /:1: not valid JSON: value expected$/m],
    ['{"proxy": {\n"port": 1\n"host": "::1"}}', /:3: not valid JSON: comma expected$/m],
    ["", /:1: not valid JSON: the file is empty/],
    ['{"prxy": {}}', /:1: prxy: unknown key\. Did you mean "proxy"\?$/m],
    ['{"proxy": {"authMode": "off"}}', /authMode: unknown key\. Did you mean "auth_mode"\?$/m],
    ["[]", /:1: the file: must be an object, \{ … \}, not a list$/m],
    ["null", /:1: the file: must be an object, \{ … \}, not null$/m],
    ['{"proxy": {"upstreams": {"a": {"dialect": "messages"}}}}', /a\.base_url: is missing$/m],
    ['{"proxy": {"port": "8045"}}', /proxy\.port: must be a number, not a string$/m],
    ['{"proxy": {"port": 0}}', /proxy\.port: must be at least 1$/m],
    ['{"proxy": {"timeouts": {"idle": null}}}', /idle: must be a number, not null$/m],
    ['{"proxy": {"auth_mode": "on"}}', /"off", "strict", "all_except_health" or "auto", not "on"$/m],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "ftp://x"}}}}',
      /a\.base_url: must be an http or https URL$/m,
    ],
    ['{"proxy": {"upstreams": {"a": {"base_url": "http://x"}}}}', /a\.dialect: is missing$/m],
    ['{"proxy": {"allowed_origins": ["x"]}}', /allowed_origins\.0: must be a URL/],
    ['{"proxy": {"api_keys": [{"name": "a"}]}}', /must be a string, \{ name, key_env \} or/],
    ['{"proxy": {"models": [{"match": "", "upstream": "a"}]}}', /match: must not be empty$/m],
    ['{"proxy": {"__proto__": {"port": 1}}}', /unknown key/],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://x",\n"capabilities": {"*": {"image": 1}}}}}}',
      /:2: proxy\.upstreams\.a\.capabilities\.\*\.image: unknown key/,
    ],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://x",\n"capabilities": {"*": {"toolNamePattern": "("}}}}}}',
      /:2: .*toolNamePattern: is not a regular expression$/m,
    ],
    [
      '{"proxy": {"mcp": {"a/b": {"url": "http://x"}}}}',
      /mcp\.a\/b: this name may have letters, digits, \. _ -$/m,
    ],
    [
      '{"proxy": {"mcp": {"a": {"url": "http://u:p@x"}}}}',
      /mcp\.a\.url: must not contain a password; use headers instead$/m,
    ],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://u:p@x"}}}}',
      /a\.base_url: must not contain a password/,
    ],
    [
      '{"proxy": {"mcp": {"a": {"url": "http://x",\n"headers": {"x-a": "one\\ntwo"}}}}}',
      /:2: proxy\.mcp\.a\.headers\.x-a: must not contain line breaks/,
    ],
    [
      '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://x", "api_key": "sk-\\n"}}}}',
      /a\.api_key: must not contain line breaks/,
    ],
  ])("refuse %s with file, line and key", async (text, message) => {
    const error = await failure(load(text));
    expect(error.code).toBe("configuration");
    expect(error.message).toMatch(message);
    expect(error.message).toContain("config-");
  });

  it.each([
    '{"proxy": {"api_keys": "sk-secret-0123456789"}}',
    '{"proxy": {"auth_mode": "sk-secret-0123456789"}}',
    '{"proxy": {"upstreams": {"a": "sk-secret-0123456789"}}}',
    '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "sk-secret-0123456789"}}}}',
    '{"proxy": {"upstreams": {"a": {"credentials": "sk-secret-0123456789"}}}}',
  ])("refuse %s without repeating what may be a key", async (text) => {
    expect((await failure(load(text))).message).not.toContain("sk-secret");
  });

  it.each([
    [{ SERVICE_PROXY_PORT: "many" }, {}, "environment SERVICE_PROXY_PORT must be a number"],
    [{}, { port: "70000" }, "flag --port must be at most 65535"],
    [{}, { port: "many" }, 'flag --port must be a number, not "many"'],
    [{}, { authMode: "never" }, "flag --auth-mode"],
  ])("name the variable or flag that is wrong: %j %j", async (environment, flags, named) => {
    const error = await failure(load("{}", environment as Record<string, string>, flags));
    expect(error.code).toBe("usage");
    expect(error.message).toContain(named);
  });

  it.each([
    ["flag --host", {}, { host: "192.168.1.5" }],
    ["environment SERVICE_PROXY_HOST", { SERVICE_PROXY_HOST: " 0.0.0.0 " }, {}],
  ])("name %s where it opens the proxy to others without a key", async (named, environment, flags) => {
    const error = await failure(
      load("{}", environment, flags).then((loaded) => resolveProxyConfig(loaded, environment, found)),
    );
    expect([error.code, error.message]).toEqual([
      "usage",
      expect.stringMatching(`^${named} allows other machines`),
    ]);
  });

  it("take variables without the spaces around them", async () => {
    const { settings } = await load("{}", { SERVICE_PROXY_PORT: " 2222 ", SERVICE_PROXY_AUTH_MODE: "\t" });
    expect([settings.port, settings.auth_mode]).toEqual([2222, "auto"]);
  });

  it("refuse rules, variables and keys that lead nowhere, with their line", async () => {
    const cases: [string, RegExp][] = [
      ['{"proxy": {"models": [\n{"match": "*", "upstream": "nowhere"}]}}', /:2: .*"nowhere"/],
      [
        '{"proxy": {"upstreams": {"a": {"dialect": "messages", "base_url": "http://x",\n"api_key_env": "NO_KEY"}}}}',
        /:2: .*NO_KEY/,
      ],
      ['{"proxy": {"api_keys": [\n"short"]}}', /:2: .*16 characters/],
      ['{"proxy": {"api_keys": [{"name": "a", "key_env": "NO_KEY"}]}}', /NO_KEY/],
      [
        '{"proxy": {"mcp": {"a": {"url": "http://x",\n"header_env": {"authorization": "NO_KEY"}}}}}',
        /:2: .*NO_KEY/,
      ],
    ];
    for (const [text, message] of cases) expect((await failure(resolved(text))).message).toMatch(message);
  });

  it("take variables without the line that their files end with, and files with a byte order mark", async () => {
    const upstream = { dialect: "messages", base_url: "http://x", api_key_env: "A" };
    const settings = {
      api_keys: [{ name: "k", key_env: "K" }],
      upstreams: { a: upstream },
      mcp: { m: { url: "http://x", header_env: { "x-api-key": "M" } } },
    };
    const environment = { A: "sk-of-a\n", K: " 0123456789abcdef\r\n", M: "sk-of-m\n" };
    const config = await resolved(`\ufeff${JSON.stringify({ proxy: settings })}`, environment);
    expect(config.upstreams.get("a")?.keys).toEqual(["sk-of-a"]);
    expect(config.mcp.get("m")?.headers).toEqual({ "x-api-key": "sk-of-m" });
    expect(config.secrets).toContain("0123456789abcdef");
    const found = await loadProxySettings({ XDG_CONFIG_HOME: folder }, {});
    const { upstreams } = resolveProxyConfig(
      found,
      { OPENAI_API_KEY: " sk-o\n" },
      { localServers: [], generatedKey: undefined },
    );
    expect(upstreams.get("openai")?.keys).toEqual(["sk-o"]);
  });

  it("never show a secret", async () => {
    const text = JSON.stringify({
      proxy: {
        api_keys: ["sk-secret-0123456789"],
        upstreams: {
          a: {
            dialect: "messages",
            base_url: "http://x",
            api_key: "sk-secret-a",
            headers: { authorization: "sk-secret-b" },
          },
          b: { dialect: "messages", base_url: "http://x", api_keys: ["sk-secret-c", "sk-secret-d"] },
        },
        mcp: { m: { url: "http://x?token=sk-secret-f", headers: { "x-api-key": "sk-secret-e" } } },
      },
    });
    const loaded = await load(text);
    expect(JSON.stringify(effectiveSettings(loaded))).not.toContain("sk-secret");
    const { secrets } = resolveProxyConfig(loaded, {}, found);
    for (const letter of ["a", "b", "c", "d", "e", "f"]) expect(secrets).toContain(`sk-secret-${letter}`);
  });

  it("take upstreams from the environment and from this machine where none are configured", async () => {
    const loaded = await loadProxySettings({ XDG_CONFIG_HOME: folder }, {});
    const environment = {
      ANTHROPIC_API_KEY: "k1",
      OPENAI_API_KEY: "k2",
      GOOGLE_API_KEY: "k3",
      OPENROUTER_API_KEY: "k4",
    };
    const localServers = [{ name: "ollama", baseUrl: "http://127.0.0.1:11434" }];
    const { upstreams } = resolveProxyConfig(loaded, environment, { localServers, generatedKey: undefined });
    expect([...upstreams.values()].map(({ name, dialect, keys }) => [name, dialect, keys.join()])).toEqual([
      ["anthropic", "messages", "k1"],
      ["openai-responses", "responses", "k2"],
      ["openai", "chat-completions", "k2"],
      ["gemini", "generative-language", "k3"],
      ["openrouter", "chat-completions", "k4"],
      ["ollama", "chat-completions", ""],
    ]);
  });

  it.each([
    ["https://api.anthropic.com", "messages", "https://api.anthropic.com/v1"],
    ["https://api.openai.com/v1/", "chat-completions", "https://api.openai.com/v1"],
    ["https://openrouter.ai/api", "chat-completions", "https://openrouter.ai/api/v1"],
    ["https://api.z.ai/api/paas/v4", "chat-completions", "https://api.z.ai/api/paas/v4"],
    ["https://g.example/v1beta/openai", "chat-completions", "https://g.example/v1beta/openai"],
    ["https://g.example", "generative-language", "https://g.example/v1beta"],
    ["https://a.example/openai?api-version=1", "responses", "https://a.example/openai/v1?api-version=1"],
    ["https://api.openai.com/", "chat-completions", "https://api.openai.com/v1"],
    ["https://api.fireworks.ai/inference", "chat-completions", "https://api.fireworks.ai/inference/v1"],
    ["https://a.example/models", "generative-language", "https://a.example/models/v1beta"],
    ["https://api.githubcopilot.com", "messages", "https://api.githubcopilot.com/v1"],
  ] as const)("add the version to %s for %s where it is missing", (url, dialect, expected) => {
    expect(versionedUrl(url, dialect)).toBe(expected);
  });

  it.each([
    ["https://a.example/llm/", "https://a.example/llm"],
    ["http://127.0.0.1:8000/", "http://127.0.0.1:8000"],
    ["https://a.example/llm/?tier=2", "https://a.example/llm?tier=2"],
    ["https://a.example/llm/chat/completions", "https://a.example/llm"],
    [
      "https://a.example/openai/deployments/d/chat/completions?api-version=1",
      "https://a.example/openai/deployments/d?api-version=1",
    ],
    [
      "https://x.openai.azure.com/openai/deployments/gpt-4o?api-version=1",
      "https://x.openai.azure.com/openai/deployments/gpt-4o?api-version=1",
    ],
    [
      "https://x.services.ai.azure.com/models?api-version=1",
      "https://x.services.ai.azure.com/models?api-version=1",
    ],
    ["https://api.githubcopilot.com", "https://api.githubcopilot.com"],
    ["https://api.business.githubcopilot.com", "https://api.business.githubcopilot.com"],
    ["https://models.github.ai/inference", "https://models.github.ai/inference"],
    ["https://models.github.ai/orgs/o/inference", "https://models.github.ai/orgs/o/inference"],
    ["https://x.cloud.databricks.com/serving-endpoints", "https://x.cloud.databricks.com/serving-endpoints"],
    ["https://api.perplexity.ai", "https://api.perplexity.ai"],
  ])("take %s as it is", (url, expected) => {
    expect(versionedUrl(url, "chat-completions")).toBe(expected);
  });

  it("take any base URL as it is with version: false", async () => {
    const upstreams = { a: { dialect: "responses", base_url: "https://a.example/llm?x=1", version: false } };
    const loaded = await load(JSON.stringify({ proxy: { upstreams } }));
    const { a } = Object.fromEntries(resolveProxyConfig(loaded, {}, found).upstreams);
    expect(a?.baseUrl).toBe("https://a.example/llm?x=1");
  });

  it("are shown by an example that can be used, and listed by the documentation", async () => {
    const root = join(import.meta.dirname, "../../..");
    const loaded = await loadProxySettings({}, { config: join(root, "examples/proxy.config.jsonc") });
    const config = resolveProxyConfig(loaded, {}, found);
    expect([...config.upstreams.keys()]).toEqual(["claude", "local"]);
    const documentation = readFileSync(join(root, "docs/reference/proxy.md"), "utf8");
    for (const key of Object.keys(loaded.settings)) expect(documentation).toContain(`\`${key}\``);
  });
});
