import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { banner } from "../../src/cli/proxy/start/banner.ts";
import { readProxyConfiguration } from "../../src/cli/proxy-configuration.ts";
import { checkRequest } from "../../src/http/guard.ts";
import { createRuntime } from "../../src/proxy/runtime.ts";
import { createPools } from "../../src/proxy/upstream/pools.ts";
import { configOf } from "../support/start-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const runtimeOf = (settings: object) => createRuntime(configOf(settings), createPools(), "via");

describe("P4 a proxy that other machines can reach", () => {
  it.each(["auto", "all_except_health", "strict"])("does not start without a key: %s", (auth_mode) => {
    expect(() => runtimeOf({ auth_mode, allow_lan_access: true })).toThrow(/needs a key/);
    expect(runtimeOf({ auth_mode, allow_lan_access: true, api_keys: ["x".repeat(16)] }).keys.size).toBe(1);
  });

  it.each(["0.0.0.0", "::", "192.168.1.5", "mybox", "127.0.0.1.evil.test"])(
    "is not had by naming an address alone: %s",
    (host) => {
      expect(() => configOf({ host })).toThrow(/allow_lan_access/);
      expect(() => configOf({ host, auth_mode: "off" })).toThrow(/allow_lan_access/);
      expect(configOf({ host, allow_lan_access: true }).host).toBe(host);
      expect(configOf({ host, auth_mode: "strict" }).host).toBe(host);
    },
  );

  it.each([
    ["localhost", "localhost"],
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.2"],
    ["::1", "::1"],
    ["[::1]", "::1"],
  ])("is not one bound to %s", (host, bound) => {
    const config = configOf({ host });
    expect(config.host).toBe(bound);
    expect(banner(config, 8045, { path: "/config.json", isThere: true }).join("\n")).not.toMatch(/WARNING/);
  });

  it("warns if it is configured to need no key", () => {
    const file = { path: "/config.json", isThere: false };
    const open = banner(configOf({ allow_lan_access: true, auth_mode: "off" }), 8045, file);
    expect(open.join("\n")).toMatch(/WARNING: anyone/);
    expect(banner(configOf({}), 8045, file).join("\n")).not.toMatch(/WARNING/);
  });

  it("creates a key that only its owner can read, and stores it", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "home"));
    const environment = {
      SERVICE_HOME: join(folder, "data"),
      XDG_CONFIG_HOME: folder,
      ANTHROPIC_API_KEY: "sk-0123456789",
    };
    const first = await readProxyConfiguration(environment, { allowLanAccess: true }, true);
    const path = join(folder, "data", "proxy", "key");
    expect(first.newKey).toMatch(/^sk-sallyport-[\w-]{43}$/);
    expect((await readFile(path, "utf8")).trim()).toBe(first.newKey);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "data", "proxy"))).mode & 0o777).toBe(0o700);
    const second = await readProxyConfiguration(environment, { allowLanAccess: true }, true);
    expect(second.newKey).toBeUndefined();
    expect(second.config.keys).toEqual(first.config.keys);
  });

  it("accepts addresses and its own name as Host, but no other name", () => {
    const { guard } = runtimeOf({ allow_lan_access: true, api_keys: ["x".repeat(16)] });
    const isLetIn = (host: string) =>
      checkRequest({ method: "POST", path: "/v1/messages", rawHeaders: ["Host", host] }, guard).allowed;
    for (const host of ["192.168.1.5:8045", "[fe80::1]:8045", "localhost:8045", "host.docker.internal"])
      expect(isLetIn(host)).toBe(true);
    for (const host of ["evil.test", "0.0.0.0:8045", "[::]", "192.168.1.5.evil.test", "3232235781"])
      expect(isLetIn(host)).toBe(false);
  });
});
