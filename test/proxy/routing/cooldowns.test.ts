import { beforeEach, describe, expect, it } from "vitest";
import type { AttemptOutcome } from "../../../src/proxy/routing/attempts.ts";
import { type Cooldowns, createCooldowns } from "../../../src/proxy/routing/cooldowns.ts";
import type { Target } from "../../../src/proxy/routing/select-targets.ts";
import { toUpstreamError } from "../../../src/proxy/upstream/upstream-errors.ts";
import { configOf } from "../../support/start-proxy.ts";

const settings = { dialect: "messages", base_url: "http://x" };
const { upstreams } = configOf({
  upstreams: {
    a: { ...settings, api_keys: ["k1", "k2"] },
    b: settings,
    c: { ...settings, credentials: "client" },
  },
});
const [a, b, c] = ["a", "b", "c"].map((name) => {
  const upstream = upstreams.get(name);
  if (!upstream) throw new Error("no upstream");
  return upstream;
}) as [Upstream, Upstream, Upstream];
type Upstream = Parameters<Cooldowns["record"]>[0]["upstream"];

const refused = (status: number, headers: Record<string, string> = {}): AttemptOutcome => ({
  kind: "refused",
  status,
  headers,
});
const failed = (code: string): AttemptOutcome => ({
  kind: "failed",
  error: toUpstreamError(Object.assign(new Error("x"), { code }), "a", false),
});

let now = 0;
let cooldowns: Cooldowns;
beforeEach(() => {
  now = 1_000_000;
  cooldowns = createCooldowns(() => now);
});
const record = (upstream: Upstream, key: string | undefined, outcome: AttemptOutcome, model = "m") =>
  cooldowns.record({ upstream, key, model }, outcome);
const order = (model = "m") => {
  const [first, second, third] = [a, b, c].map((upstream) => ({ upstream, model })) as [
    Target,
    Target,
    Target,
  ];
  return cooldowns.availableFirst([first, second, third]).map(({ upstream }) => upstream.name);
};
const keys = (model = "m") => cooldowns.availableKeysFirst({ upstream: a, model }, ["k1", "k2"]);

describe("proxy cooldowns", () => {
  it("tries a rate-limited key last until its retry-after has passed, for that model only", () => {
    record(a, "k1", refused(429, { "retry-after": "30" }));
    expect(keys()).toEqual(["k2", "k1"]);
    expect(keys("another")).toEqual(["k1", "k2"]);
    expect(order()).toEqual(["a", "b", "c"]);
    expect(cooldowns.list()).toEqual([
      { upstream: "a", key: 1, model: "m", status: 429, until: now + 30_000 },
    ]);
    now += 30_000;
    expect(keys()).toEqual(["k1", "k2"]);
    expect(cooldowns.list()).toEqual([]);
  });

  it("tries an upstream last once all of its keys are in cooldown", () => {
    record(a, "k1", refused(401));
    record(a, "k2", refused(403));
    expect(order()).toEqual(["b", "c", "a"]);
    expect(order("another")).toEqual(["a", "b", "c"]);
  });

  it("tries an unreachable upstream last for every model, but not one whose connection broke", () => {
    record(a, "k1", failed("ECONNRESET"));
    expect(order()).toEqual(["a", "b", "c"]);
    record(a, "k1", failed("ECONNREFUSED"));
    expect(order("another")).toEqual(["b", "c", "a"]);
    expect(cooldowns.list()).toEqual([{ upstream: "a", until: now + 10_000 }]);
  });

  it("keeps the order if all targets are in cooldown", () => {
    for (const upstream of [a, b, c]) record(upstream, undefined, failed("ENOTFOUND"));
    expect(order()).toEqual(["a", "b", "c"]);
  });

  it("ends a cooldown after a success, and when the configuration changes", () => {
    record(b, undefined, refused(503));
    expect(order()).toEqual(["a", "c", "b"]);
    record(b, undefined, { kind: "completed" });
    expect(order()).toEqual(["a", "b", "c"]);
    record(b, undefined, failed("ECONNREFUSED"));
    cooldowns.clear();
    expect(order()).toEqual(["a", "b", "c"]);
  });

  it("limits a cooldown to five minutes", () => {
    record(a, "k1", refused(429, { "retry-after": "561600" }));
    expect(cooldowns.list()[0]?.until).toBe(now + 300_000);
  });

  it.each([400, 404, 413, 500, 502])(
    "starts no cooldown after a %s, which another call may not receive",
    (status) => {
      record(b, undefined, refused(status));
      expect(cooldowns.list()).toEqual([]);
    },
  );

  it("starts no cooldown for a client's own key", () => {
    record(c, undefined, refused(429));
    expect(cooldowns.list()).toEqual([]);
  });

  it("keeps at most a thousand cooldowns, whatever models clients name", () => {
    for (let index = 0; index < 1_500; index += 1) record(b, undefined, refused(429), `m${index}`);
    expect(cooldowns.list()).toHaveLength(1_000);
    now += 10_000;
    record(b, undefined, refused(429), "m");
    expect(cooldowns.list()).toHaveLength(1);
  });
});
