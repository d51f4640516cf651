import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLogOutput } from "../../src/cli/proxy/start/call-log.ts";
import { readProxyConfiguration } from "../../src/cli/proxy-configuration.ts";
import { effectiveSettings } from "../../src/config/proxy/effective.ts";

const folder = mkdtempSync(join(tmpdir(), "secrets-"));

async function read(proxy: object, environment: Record<string, string> = {}) {
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ proxy }));
  return readProxyConfiguration({ SERVICE_HOME: folder, ...environment }, { config }, false);
}

const upstream = (more: object) => ({
  upstreams: { a: { dialect: "chat-completions", base_url: "https://a.example", ...more } },
});

describe("a secret outside the configuration file", () => {
  it("comes from the environment, a file or a command, for each key and header, and is known as one", async () => {
    const file = join(folder, "key");
    writeFileSync(file, "sk-from-file-0123456789\n");
    const { config, loaded } = await read(
      upstream({
        api_keys: [
          { env: "MY_KEY" },
          { file },
          { command: "printf sk-from-shell-0123456789", ttl: 60 },
          { command: [process.execPath, "-p", "'sk-from-program-0123456789'"] },
        ],
        headers: { "api-key": { env: "MY_HEADER" }, "x-plain": "as it is" },
      }),
      { MY_KEY: "sk-from-env-0123456789", MY_HEADER: "azure-header-0123456789" },
    );
    const a = config.upstreams.get("a");
    const keys = ["env", "file", "shell", "program"].map((name) => `sk-from-${name}-0123456789`);
    expect(a?.keys).toEqual(keys);
    expect(a?.headers).toEqual({ "api-key": "azure-header-0123456789", "x-plain": "as it is" });
    for (const secret of [...keys, "azure-header-0123456789"]) {
      expect(config.secrets).toContain(secret);
      expect(JSON.stringify(effectiveSettings(loaded))).not.toContain(secret);
    }
  });

  it.each([
    [{ env: "NOT_SET" }, 'environment variable "NOT_SET": it is not set'],
    [{ file: "/dev/null" }, "it is empty"],
    [{ file: join(folder, "missing") }, "no such file"],
    [{ command: "echo sk-hidden-0123456789; exit 3" }, "it ended with exit code 3"],
  ])("that cannot be read is named, and its text is not: %j", async (api_key, message) => {
    const error = await read(upstream({ api_key })).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: "configuration" });
    expect(error?.message).toContain(message);
    expect(error?.message).not.toContain("sk-hidden");
  });

  it("can be the URL of the database and of Redis, unless a variable replaces it", async () => {
    const file = join(folder, "database-url");
    const url = "postgres://sally:pg-from-file-0123@db.example/sally";
    writeFileSync(file, `${url}\n`);
    const redis = { command: "printf redis://:redis-from-command-0123@cache.example" };
    const { config, loaded } = await read({ database: { file }, redis });
    expect(config.database).toEqual({ engine: "postgres", url });
    expect(config.redis).toBe("redis://:redis-from-command-0123@cache.example");
    for (const secret of ["pg-from-file-0123", "redis-from-command-0123"]) {
      expect(config.secrets).toContain(secret);
      expect(JSON.stringify(effectiveSettings(loaded))).not.toContain(secret);
    }
    const variables = { SERVICE_PROXY_DATABASE: "none", SERVICE_PROXY_REDIS: "none" };
    const missing = { file: join(folder, "missing") };
    const replaced = await read({ database: missing, redis: missing }, variables);
    expect(replaced.config).toMatchObject({ database: { engine: "none" }, redis: undefined });
    const settings = effectiveSettings(replaced.loaded, variables).filter(({ key }) =>
      /^(?:database|redis)/.test(key),
    );
    expect(settings).toMatchObject([
      { key: "database", value: "none", source: "environment SERVICE_PROXY_DATABASE" },
      { key: "redis", source: "environment SERVICE_PROXY_REDIS" },
      { key: "redis_failure" },
    ]);
  });
});

it("a variable replaces `redis_env`, and a password need not be encoded", async () => {
  const { config } = await read(
    { redis_env: "NOT_SET" },
    { SERVICE_PROXY_REDIS: "redis://:50%zz-of-redis-0123@cache.example" },
  );
  expect(config.redis).toContain("cache.example");
  expect(config.secrets).toContain("50%zz-of-redis-0123");
  await expect(read({ redis_env: "NOT_SET" })).rejects.toThrow(/NOT_SET is not set/);
});

it("the request log goes to stdout where the configuration says so", async () => {
  const written: string[] = [];
  const stdout = {
    write(bytes: Uint8Array, done: () => void) {
      written.push(Buffer.from(bytes).toString());
      done();
      return true;
    },
  };
  const logging = { requests: true, maxFile: 4096, files: 1, to: "stdout" } as const;
  const log = createLogOutput(
    join(folder, "none.ndjson"),
    () => logging,
    () => {},
    stdout as never,
  );
  log.write('{"a":1}');
  await log.close();
  expect(written).toEqual(['{"a":1}\n']);
});
