import { describe, expect, it } from "vitest";
import { type InForce, reloadConfiguration } from "../../../../src/cli/proxy/start/reload-configuration.ts";
import type { ProxyConfig } from "../../../../src/config/proxy/config.ts";
import { fileSchema } from "../../../../src/config/proxy/schema.ts";
import { AppError } from "../../../../src/errors.ts";
import { configOf } from "../../../support/start-proxy.ts";

const before = configOf({ port: 8045 });

/** Reloads over `old`, and returns the result. */
async function reload(
  read: () => ProxyConfig,
  {
    old = before,
    use = () => {},
    newKey,
    onlyIfChanged = false,
    hasFailed = false,
  }: {
    old?: ProxyConfig;
    use?: () => void;
    newKey?: string;
    onlyIfChanged?: boolean;
    hasFailed?: boolean;
  } = {},
) {
  const notes: string[] = [];
  const refused: string[] = [];
  const settings = fileSchema.parse({}).proxy;
  const inForce: InForce = { config: old, settings, hasFailed };
  const serving = {
    reload: async () => use(),
    noteRefused: (reason: string) => void refused.push(reason),
  };
  const loaded = { settings, path: "", file: undefined, getSource: () => "default" } as never;
  const note = (text: string) => void notes.push(text);
  const readAll = async () => ({ loaded, config: read(), newKey });
  await reloadConfiguration(inForce, readAll, serving, { note }, onlyIfChanged);
  return { notes: notes.join("\n"), refused, config: inForce.config };
}

describe("a reloaded configuration", () => {
  it("is in effect", async () => {
    const after = configOf({ port: 8045, strict_translation: true });
    expect(await reload(() => after)).toEqual({
      notes: "Configuration reloaded.",
      refused: [],
      config: after,
    });
  });

  it.each([
    ["port", { port: 9000 }],
    ["host", { host: "127.0.0.2" }],
    ["limits.connections", { limits: { connections: 9 } }],
    ["number of workers", { workers: 2 }],
    ["database", { database: "postgres://user:secret@127.0.0.1/other" }],
    ["Redis", { redis: "redis://:secret@127.0.0.1:7000" }],
    ["telemetry endpoint", { otel: { endpoint: "http://localhost:4318" } }],
    ["telemetry endpoint", { otel: { endpoint: "http://localhost:4318", headers: { "x-key": "new" } } }],
    ["host, Redis", { host: "127.0.0.2", redis: "redis://127.0.0.1:7000" }],
  ])("needs a start for a new %s", async (name, settings) => {
    const { notes } = await reload(() => configOf({ port: 8045, ...settings }));
    expect(notes).toBe(`These settings take effect at the next start: ${name}.\nConfiguration reloaded.`);
  });

  it("needs no start for new credentials of Redis, a new password of PostgreSQL, or another redis_failure", async () => {
    const storage = (password: string, redis_failure: string) =>
      configOf({
        port: 8045,
        database: `postgres://user:${password}@127.0.0.1/db`,
        redis: `redis://${password}-user:${password}@127.0.0.1:7000`,
        redis_failure,
        otel: { content: password === "new", relay: `http://localhost:4318/${password}` },
      });
    const { notes } = await reload(() => storage("new", "refuse"), { old: storage("old", "local") });
    expect(notes).toBe("Configuration reloaded.");
  });

  it("reports a key that was created for it", async () => {
    expect((await reload(() => before, { newKey: "sk-made-just-now" })).notes).toContain("sk-made-just-now");
  });

  it("changes nothing if it is invalid or cannot be applied, and states why", async () => {
    const wrong = () => {
      throw new AppError("configuration", "config.json:3: proxy.port: must be a number");
    };
    const unreadable = () => {
      throw new AppError("unreadable", "The key file cannot be read");
    };
    for (const [read, use, reason] of [
      [wrong, undefined, "config.json:3: proxy.port: must be a number"],
      [unreadable, undefined, "The key file cannot be read"],
      [() => configOf({ workers: 2 }), wrong, "config.json:3: proxy.port: must be a number"],
    ] as const)
      expect(await reload(read, use && { use })).toEqual({
        notes: `Configuration not reloaded; the previous one stays in force. ${reason}`,
        refused: [reason],
        config: before,
      });
  });

  it("is applied after a secret's time to live only if it has changed or the last reload failed", async () => {
    const settings = { port: 8045, upstreams: { a: { dialect: "messages", base_url: "http://a" } } };
    const old = configOf(settings);
    const unchanged = { old, onlyIfChanged: true };
    expect((await reload(() => configOf(settings), unchanged)).notes).toBe("");
    for (const [read, more] of [
      [() => configOf({ ...settings, strict_translation: true }), unchanged],
      [() => configOf(settings), { ...unchanged, hasFailed: true }],
      [() => configOf(settings), { old }],
    ] as const)
      expect((await reload(read, more)).notes).toBe("Configuration reloaded.");
  });

  it("reports a defect of the program apart from an invalid file", async () => {
    const defect = () => {
      throw new TypeError("x is not a function");
    };
    expect((await reload(defect)).refused).toEqual(["internal error: x is not a function"]);
  });
});
