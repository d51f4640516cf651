import { describe, expect, it } from "vitest";
import { formatConfiguration, withoutSecrets } from "../../../src/cli/init/init.ts";
import { listHints, proposeSteps } from "../../../src/cli/init/propose.ts";
import type { FoundAgent, FoundUpstream, Situation } from "../../../src/cli/init/situation.ts";
import { parseConfiguration } from "../../../src/config/load.ts";
import { fileSchema } from "../../../src/config/proxy/schema.ts";

const claude: FoundAgent = {
  id: "claude-code",
  name: "Claude Code",
  path: "/usr/bin/claude",
  hook: "absent",
  live: false,
  connected: false,
  dialects: ["messages"],
};
const codex: FoundAgent = { ...claude, id: "codex", name: "Codex CLI", dialects: ["responses"] };
const anthropic: FoundUpstream = {
  name: "anthropic",
  vendor: "anthropic",
  dialect: "messages",
  baseUrl: "https://api.anthropic.com/v1",
  variable: "ANTHROPIC_API_KEY",
};
const ollama: FoundUpstream = {
  name: "ollama",
  vendor: null,
  dialect: "chat-completions",
  baseUrl: "http://127.0.0.1:11434/v1",
  variable: null,
};
const nothing: Situation = {
  agents: [],
  repository: null,
  keys: [],
  keychain: false,
  configuration: { path: "/home/dev/.config/sallyport/config.json", exists: false, problem: null },
  upstreams: [],
  proxy: { url: "http://127.0.0.1:8045", running: false, service: "absent" },
};

const listIds = (situation: Partial<Situation>, flags = {}) =>
  proposeSteps({ ...nothing, ...situation }, flags).map(({ id }) => id);

describe("the steps of init", () => {
  it("are empty if nothing is found", () => {
    expect(listIds({})).toEqual([]);
  });

  it.each([
    ["absent", ["hook:claude-code"]],
    ["outdated", ["hook:claude-code"]],
    ["installed", []],
    ["unreadable", []],
    [null, []],
  ] as const)("contain the hook of an agent whose hook is %s: %j", (hook, ids) => {
    expect(listIds({ agents: [{ ...claude, hook }] })).toEqual(ids);
  });

  it("move the keys of the shell to the keychain before the service, and connect agents after it", () => {
    const steps = proposeSteps(
      { ...nothing, agents: [{ ...claude, hook: "installed" }], upstreams: [anthropic], keychain: true },
      {},
    );
    expect(steps.map(({ id, needs }) => [id, needs])).toEqual([
      ["keys", undefined],
      ["service", "keys"],
      ["connection:claude-code", "service"],
    ]);
    expect(steps.every(({ part }) => part === "proxy")).toBe(true);
  });

  it("contain no service that would start without its keys", () => {
    const situation = { upstreams: [anthropic, ollama] };
    expect(listIds(situation)).toEqual([]);
    expect(listIds(situation, { envFile: ".env" })).toEqual(["service"]);
    expect(listIds({ upstreams: [ollama] })).toEqual(["service"]);
  });

  it("leave an existing configuration as it is", () => {
    const configuration = { ...nothing.configuration, exists: true };
    expect(listIds({ upstreams: [anthropic], keychain: true, configuration })).toEqual([]);
  });

  it.each(["installed", "unavailable"] as const)("contain no service where it is %s", (service) => {
    expect(listIds({ upstreams: [ollama], proxy: { ...nothing.proxy, service } })).toEqual([]);
  });

  it("connect agents only to upstreams of their dialect, and only once", () => {
    const proxy = { ...nothing.proxy, running: true };
    const agents = [claude, codex].map((agent) => ({ ...agent, hook: null }));
    expect(listIds({ agents, upstreams: [anthropic], proxy })).toEqual(["connection:claude-code"]);
    const connected = { ...claude, hook: null, connected: true };
    expect(listIds({ agents: [connected], upstreams: [anthropic], proxy })).toEqual([]);
    expect(listIds({ agents, upstreams: [anthropic] })).toEqual([]);
  });
});

describe("the hints of init", () => {
  const hintsFor = (situation: Partial<Situation>, flags = {}) => {
    const whole = { ...nothing, ...situation };
    return listHints(whole, flags, proposeSteps(whole, flags)).join("\n");
  };

  it("explain why no service is proposed, and how to use the proxy without one", () => {
    const hints = hintsFor({ agents: [claude], upstreams: [anthropic] });
    expect(hints).toContain("ANTHROPIC_API_KEY. Write them to a file, then: sallyport init --env-file FILE");
    expect(hints).toContain("sallyport run claude-code");
    expect(hintsFor({ agents: [claude], upstreams: [anthropic] }, { envFile: ".env" })).not.toContain("FILE");
  });

  it("name settings and a configuration that cannot be read", () => {
    const unreadable = { ...claude, hook: "unreadable" } as const;
    expect(hintsFor({ agents: [unreadable] })).toContain("sallyport install claude-code");
    const configuration = { ...nothing.configuration, exists: true, problem: "config.json:3: no" };
    expect(hintsFor({ configuration })).toContain("Correct the configuration: config.json:3: no");
  });

  it("offer a code review in a repository", () => {
    expect(hintsFor({ repository: "/src/shop" })).toContain("/src/shop: sallyport review code");
    expect(hintsFor({})).not.toContain("review code");
  });
});

describe("the situation that init prints", () => {
  it("has no credentials in the URLs of upstreams", () => {
    const keyed = { ...ollama, baseUrl: "https://models.example/v1?api-key=hidden&version=2" };
    const { upstreams } = withoutSecrets({ ...nothing, upstreams: [anthropic, keyed] });
    expect(upstreams).toEqual([
      anthropic,
      { ...keyed, baseUrl: "https://models.example/v1?api-key=[redacted]&version=2" },
    ]);
  });
});

describe("the configuration that init writes", () => {
  it("is valid, and names keys of the keychain instead of containing them", () => {
    const text = formatConfiguration([anthropic, ollama]);
    const { value } = parseConfiguration(text, "config.json");
    expect(fileSchema.parse(value).proxy.upstreams).toMatchObject({
      anthropic: {
        vendor: "anthropic",
        dialect: "messages",
        api_key: { keychain: "ANTHROPIC_API_KEY" },
      },
      ollama: { dialect: "chat-completions", base_url: "http://127.0.0.1:11434/v1" },
    });
  });
});
