import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../../src/proxy/glob.ts";
import { collectCallFacts } from "../../../src/proxy/routing/call-facts.ts";
import { createSelector } from "../../../src/proxy/routing/select-targets.ts";
import { configOf } from "../../support/start-proxy.ts";

const base_url = "http://127.0.0.1:9";
const upstreams = {
  claude: { dialect: "messages", base_url, models: ["claude-a", "shared"] },
  chat: { dialect: "chat-completions", base_url, models: ["gpt-a", "shared"] },
  other: { dialect: "chat-completions", base_url, models: ["gpt-b"], weight: 3 },
};

function selectorOf(models: object[], random = () => 0.5) {
  const config = configOf({ upstreams, models });
  const all = [...config.upstreams.values()];
  const catalog = {
    models: async () => [],
    serving: async (id: string) => all.filter((upstream) => upstream.models?.includes(id)),
    lists: () => false,
    refresh: () => {},
  };
  return createSelector(config.upstreams, config.rules, catalog, random);
}

const none = () => collectCallFacts({}, undefined);
async function pick(
  models: object[],
  model: string | undefined,
  dialect?: "messages" | "chat-completions",
  facts = none,
) {
  const selection = await selectorOf(models).select(model, dialect, facts);
  return (
    selection && [
      selection.targets.map(({ upstream }) => upstream.name).join(),
      [...new Set(selection.targets.map(({ model: name }) => name))].join(),
      selection.rule,
    ]
  );
}

describe("target selection", () => {
  it("uses the first rule that matches", async () => {
    const rules = [
      { match: "gpt-a", upstream: "claude", model: "claude-a" },
      { match: "gpt-*", upstream: ["other", "chat"] },
    ];
    expect(await pick(rules, "gpt-a")).toEqual(["claude", "claude-a", "gpt-a"]);
    expect(await pick(rules, "gpt-zzz")).toEqual(["other,chat", "gpt-zzz", "gpt-*"]);
  });

  it("uses the model that a rule names for each upstream", async () => {
    const rules = [{ match: "*", upstream: ["claude", "chat/gpt-a", "chat/org/gpt-b"], model: "claude-a" }];
    expect(await pick(rules, "m")).toEqual(["claude,chat,chat", "claude-a,gpt-a,org/gpt-b", "*"]);
    const open = [{ match: "*", upstream: ["claude", "chat/gpt-a"] }];
    expect(await pick(open, "m")).toEqual(["claude,chat", "m,gpt-a", "*"]);
  });

  it("falls back to upstream/model, then to a listed id, preferably of the caller's dialect, then to the dialect", async () => {
    expect(await pick([], "other/some/thing", "messages")).toEqual(["other", "some/thing", undefined]);
    expect(await pick([], "shared", "chat-completions")).toEqual(["chat", "shared", undefined]);
    expect(await pick([], "shared", "messages")).toEqual(["claude", "shared", undefined]);
    expect(await pick([], "gpt-b", "messages")).toEqual(["other", "gpt-b", undefined]);
    expect(await pick([], "unknown", "messages")).toEqual(["claude", "unknown", undefined]);
    expect(await pick([], undefined, "chat-completions")).toEqual(["chat", "", undefined]);
    expect(await pick([], "unknown")).toBeUndefined();
    expect(await pick([], "other/")).toBeUndefined();
  });

  it("evaluates the conditions of a rule only for calls that match its pattern", async () => {
    const image = { content: [{ type: "image", source: {} }] };
    const body = Buffer.from(
      JSON.stringify({ tools: [{}], messages: [image, { content: "word ".repeat(500) }] }),
    );
    const facts = () =>
      collectCallFacts({ "x-claude-code-request-class": "compaction", "x-team": "red-1" }, body);
    for (const [when, holds] of [
      [{ request_class: "compaction" }, true],
      [{ request_class: "main" }, false],
      [{ has_tools: true }, true],
      [{ has_tools: false }, false],
      [{ has_image: true }, true],
      [{ has_image: false }, false],
      [{ min_tokens: 400 }, true],
      [{ min_tokens: 40_000 }, false],
      [{ header: { "X-Team": "red-*" } }, true],
      [{ header: { "x-team": "blue-*" } }, false],
      [{ header: { "x-absent": "*" } }, false],
    ] as const) {
      const chosen = await pick([{ match: "*", upstream: "other", when }], "claude-a", "messages", facts);
      expect([when, chosen?.[0]]).toEqual([when, holds ? "other" : "claude"]);
    }
  });

  it("counts tools that a system message adds, but not their name in other messages", async () => {
    const block = { type: "tool_addition", tool: { type: "tool_definition", definition: { name: "f" } } };
    for (const role of ["system", "user"]) {
      const body = Buffer.from(JSON.stringify({ tools: [], messages: [null, { role, content: [block] }] }));
      expect([role, collectCallFacts({}, body).hasTools()]).toEqual([role, role === "system"]);
    }
    const text = Buffer.from('{"messages":[{"role":"system","content":"\\"tool_addition\\""}]}');
    expect(collectCallFacts({}, text).hasTools()).toBe(false);
  });

  it("draws the first of several upstreams by weight if weights are set", async () => {
    const rules = [{ match: "*", upstream: ["chat", "other"] }];
    const order = async (random: number) =>
      (await selectorOf(rules, () => random).select("m", undefined, none))?.targets.map(
        ({ upstream }) => upstream.name,
      );
    expect(await order(0.1)).toEqual(["chat", "other"]);
    expect(await order(0.3)).toEqual(["other", "chat"]);
  });

  describe("with weights in a rule", () => {
    const weigh = (chat: number, other: number) => [
      {
        match: "*",
        upstream: [
          { upstream: "chat", weight: chat },
          { upstream: "other", weight: other },
        ],
      },
    ];
    const firstOf = async (rules: object[], facts: ReturnType<typeof none>, random = 0) =>
      (await selectorOf(rules, () => random).select("m", undefined, () => facts))?.targets[0];

    it("draws by the rule's weights instead of the upstreams' own", async () => {
      // The upstream `other` has the weight 3.
      for (const [rules, random, name] of [
        [weigh(9, 1), 0.89, "chat"],
        [weigh(9, 1), 0.91, "other"],
        [weigh(1, 9), 0.09, "chat"],
        [weigh(1, 9), 0.11, "other"],
        [[{ match: "*", upstream: [{ upstream: "chat", weight: 9 }, "other"] }], 0.74, "chat"],
        [[{ match: "*", upstream: [{ upstream: "chat", weight: 9 }, "other"] }], 0.76, "other"],
      ] as [object[], number, string][])
        expect([random, (await firstOf(rules, none(), random))?.upstream.name]).toEqual([random, name]);
    });

    it("distributes sessions by these weights, even among models of one upstream", async () => {
      const rules = [
        {
          match: "*",
          upstream: [
            { upstream: "chat/large", weight: 1 },
            { upstream: "chat/small", weight: 3 },
          ],
        },
      ];
      const counts: Record<string, number> = {};
      for (let at = 0; at < 400; at += 1) {
        const model = (await firstOf(rules, { ...none(), session: () => `s${at}` }))?.model ?? "";
        counts[model] = (counts[model] ?? 0) + 1;
        expect((await firstOf(rules, { ...none(), session: () => `s${at}` }))?.model).toBe(model);
      }
      expect(Object.keys(counts).toSorted()).toEqual(["large", "small"]);
      expect(counts["small"]).toBeGreaterThan(240);
      expect(counts["large"]).toBeGreaterThan(60);
    });

    it("keeps the list's order with the strategy `order`, and accepts a weight for the echo upstream", async () => {
      const [rule] = weigh(1, 99);
      expect((await firstOf([{ ...rule, strategy: "order" }], none(), 0.9))?.upstream.name).toBe("chat");
      const echo = [{ match: "*", upstream: ["chat", { upstream: "echo", weight: 9 }] }];
      expect((await firstOf(echo, none(), 0.9))?.upstream.name).toBe("echo");
    });

    it("rejects a weight that is not above 0, and an upstream that does not exist", () => {
      expect(() => selectorOf(weigh(0, 1))).toThrow();
      expect(() => selectorOf([{ match: "*", upstream: [{ upstream: "absent", weight: 1 }] }])).toThrow();
    });
  });

  it.each([
    ["*", "anything/at all", true],
    ["claude-*", "claude-opus", true],
    ["claude-*", "a-claude-opus", false],
    ["gpt-?", "gpt-5", true],
    ["gpt-?", "gpt-55", false],
    ["a.b", "axb", false],
    ["(x)[1m]", "(x)[1m]", true],
    ["Case", "case", false],
  ])("matches the pattern %s and the name %s: %s", (pattern, name, expected) => {
    expect(matchesGlob(pattern, name)).toBe(expected);
  });
});
