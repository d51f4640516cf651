import { expect, it } from "vitest";
import { banner, baseUrl } from "../../../../src/cli/proxy/start/banner.ts";
import { configOf } from "../../../support/start-proxy.ts";

it.each([
  ["127.0.0.1", "http://localhost:8045"],
  ["localhost", "http://localhost:8045"],
  ["0.0.0.0", "http://localhost:8045"],
  ["::", "http://localhost:8045"],
  ["::1", "http://[::1]:8045"],
  ["127.0.0.2", "http://127.0.0.2:8045"],
  ["192.168.1.5", "http://192.168.1.5:8045"],
])("a proxy that listens on %s is reached at %s", (host, url) => {
  expect(baseUrl({ host, tls: undefined }, 8045)).toBe(url);
});

it.each([
  [{ host: "127.0.0.2" }, false],
  [{ host: "::ffff:127.0.0.1" }, false],
  [{ allow_lan_access: true, auth_mode: "off" }, true],
])("of %o others are warned: %s", (settings, isOpen) => {
  const lines = banner(configOf(settings), 8045, { path: "config.json", isThere: true });
  expect(lines.some((line) => line.startsWith("WARNING"))).toBe(isOpen);
});

it("the dashboard is one of the addresses", () => {
  const lines = banner(configOf({}), 8045, { path: "config.json", isThere: true });
  expect(lines).toContain("  Dashboard             http://localhost:8045/");
});

it.each([
  ["http://localhost:8045/v1", 1],
  ["http://127.0.0.1:8045", 1],
  ["http://localhost:8046", 0],
  ["http://api.example:8045", 0],
])("an upstream at %s is reported as the proxy itself %i times", (base_url, times) => {
  const config = configOf({ upstreams: { round: { dialect: "messages", base_url, api_key: "sk-1" } } });
  const lines = banner(config, 8045, { path: "config.json", isThere: true });
  expect(lines.filter((line) => line.startsWith('WARNING: the upstream "round" is this proxy'))).toHaveLength(
    times,
  );
});
