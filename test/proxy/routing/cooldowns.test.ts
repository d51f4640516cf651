import { beforeEach, describe, expect, it } from "vitest";
import { createRests, type Rests } from "../../../src/proxy/routing/cooldowns.ts";
import type { Tried } from "../../../src/proxy/routing/retry-after.ts";
import type { Place } from "../../../src/proxy/routing/select-targets.ts";
import { upstreamFault } from "../../../src/proxy/upstream/upstream-errors.ts";
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
type Upstream = Parameters<Rests["learn"]>[0]["upstream"];

const refused = (status: number, headers: Record<string, string> = {}): Tried => ({
  kind: "refused",
  status,
  headers,
});
const failed = (code: string): Tried => ({
  kind: "failed",
  fault: upstreamFault(Object.assign(new Error("x"), { code }), "a", false),
});

let now = 0;
let rests: Rests;
beforeEach(() => {
  now = 1_000_000;
  rests = createRests(() => now);
});
const learn = (upstream: Upstream, key: string | undefined, tried: Tried, model = "m") =>
  rests.learn({ upstream, key, model }, tried);
const order = (model = "m") => {
  const [first, second, third] = [a, b, c].map((upstream) => ({ upstream, model })) as [Place, Place, Place];
  return rests.awakeFirst([first, second, third]).map(({ upstream }) => upstream.name);
};
const keys = (model = "m") => rests.awakeKeysFirst({ upstream: a, model }, ["k1", "k2"]);

describe("what could not serve", () => {
  it("is asked last for as long as it says, for that model and with that key", () => {
    learn(a, "k1", refused(429, { "retry-after": "30" }));
    expect(keys()).toEqual(["k2", "k1"]);
    expect(keys("another")).toEqual(["k1", "k2"]);
    expect(order()).toEqual(["a", "b", "c"]);
    expect(rests.list()).toEqual([{ upstream: "a", key: 1, model: "m", status: 429, until: now + 30_000 }]);
    now += 30_000;
    expect(keys()).toEqual(["k1", "k2"]);
    expect(rests.list()).toEqual([]);
  });

  it("is asked last as an upstream once all of its keys rest", () => {
    learn(a, "k1", refused(401));
    learn(a, "k2", refused(403));
    expect(order()).toEqual(["b", "c", "a"]);
    expect(order("another")).toEqual(["a", "b", "c"]);
  });

  it("is asked last for every model where it could not be reached, but not where one connection broke", () => {
    learn(a, "k1", failed("ECONNRESET"));
    expect(order()).toEqual(["a", "b", "c"]);
    learn(a, "k1", failed("ECONNREFUSED"));
    expect(order("another")).toEqual(["b", "c", "a"]);
    expect(rests.list()).toEqual([{ upstream: "a", until: now + 10_000 }]);
  });

  it("keeps its place where all rest", () => {
    for (const upstream of [a, b, c]) learn(upstream, undefined, failed("ENOTFOUND"));
    expect(order()).toEqual(["a", "b", "c"]);
  });

  it("is as before after a success, and where the configuration is another", () => {
    learn(b, undefined, refused(503));
    expect(order()).toEqual(["a", "c", "b"]);
    learn(b, undefined, { kind: "answered" });
    expect(order()).toEqual(["a", "b", "c"]);
    learn(b, undefined, failed("ECONNREFUSED"));
    rests.clear();
    expect(order()).toEqual(["a", "b", "c"]);
  });

  it("rests for five minutes at most, whatever it asks for", () => {
    learn(a, "k1", refused(429, { "retry-after": "561600" }));
    expect(rests.list()[0]?.until).toBe(now + 300_000);
  });

  it.each([400, 404, 413, 500, 502])(
    "is asked as ever after a %s, which another call may not meet",
    (status) => {
      learn(b, undefined, refused(status));
      expect(rests.list()).toEqual([]);
    },
  );

  it("is asked as ever where the key was the client's own", () => {
    learn(c, undefined, refused(429));
    expect(rests.list()).toEqual([]);
  });

  it("is kept in mind for a thousand places at most, whatever models clients make up", () => {
    for (let index = 0; index < 1_500; index += 1) learn(b, undefined, refused(429), `m${index}`);
    expect(rests.list()).toHaveLength(1_000);
    now += 10_000;
    learn(b, undefined, refused(429), "m");
    expect(rests.list()).toHaveLength(1);
  });
});
