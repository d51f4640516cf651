import { describe, expect, it } from "vitest";
import { chooseOpening } from "../../../src/cli/review/browser.ts";
import { preferredPort } from "../../../src/cli/review/listen.ts";
import { resolveFlags } from "../../../src/cli/review/options.ts";
import type { ReviewFlags } from "../../../src/cli/review/program.ts";
import type { ReviewEnvironment } from "../../../src/config/review/environment.ts";

const flags = (given: Partial<ReviewFlags> = {}): ReviewFlags => ({
  open: true,
  json: false,
  exitCode: false,
  ...given,
});

const unset = { sharing: true };

describe("flags and environment", () => {
  it("set the port by flag, variable or remote mode, or leave it open", () => {
    expect(resolveFlags(flags(), {}, unset).port).toBeUndefined();
    expect(resolveFlags(flags(), { SERVICE_REMOTE: "1" }, unset).port).toBe(19_432);
    expect(resolveFlags(flags(), { SERVICE_REMOTE: "1", SERVICE_PORT: "5000" }, unset).port).toBe(5_000);
    expect(resolveFlags(flags({ port: "6000" }), { SERVICE_PORT: "5000" }, unset).port).toBe(6_000);
  });

  it("set the address to listen on", () => {
    expect(resolveFlags(flags({ host: "10.0.0.1" }), { SERVICE_HOST: "::" }, unset).host).toBe("10.0.0.1");
    expect(resolveFlags(flags({ host: "" }), { SERVICE_HOST: "::" }, unset).host).toBe("::");
    expect(resolveFlags(flags({ host: " " }), { SERVICE_HOST: "" }, unset).host).toBeUndefined();
  });

  it("set the origin by either name, the flag first", () => {
    expect(resolveFlags(flags({ origin: "claude-code" }), { SERVICE_ORIGIN: "origin_b" }, unset).origin).toBe(
      "origin_a",
    );
    expect(resolveFlags(flags({ origin: "opencode" }), {}, unset).origin).toBe("origin_b");
    expect(resolveFlags(flags(), { SERVICE_ORIGIN: "origin_a" }, unset).origin).toBe("origin_a");
    expect(resolveFlags(flags(), {}, unset).origin).toBeUndefined();
  });

  it.each([
    { origin: "nobody" },
    { origin: "constructor" },
    { origin: "" },
    { port: "0" },
    { callerWaits: "soon" },
    { timeout: "soon" },
    { timeout: "-1" },
    { timeout: "0" },
    { timeout: "1e9" },
  ])("refuse %j", (given) => {
    expect(() => resolveFlags(flags(given), {}, unset)).toThrowError(
      expect.objectContaining({ code: "usage" }),
    );
  });

  it("name the limits of a time limit that is too long", () => {
    expect(() => resolveFlags(flags({ timeout: "2147484" }), {}, unset)).toThrow(
      '--timeout must be a number of seconds above 0 and at most 2147483, got "2147484"',
    );
    expect(resolveFlags(flags({ timeout: "2147483" }), {}, unset).timeout).toBe(2_147_483);
  });

  it("override the configuration, except that it can always switch sharing off", () => {
    const configuration = { sharing: false, browser: "w3m" };
    expect(resolveFlags(flags(), {}, configuration).environment).toMatchObject(configuration);
    const { environment } = resolveFlags(flags(), { BROWSER: "firefox" }, configuration);
    expect(environment.browser).toBe("firefox");
  });

  it("ignore the browser of the configuration over SSH, unless it is none", () => {
    const ssh = { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" };
    const browserOf = (browser: string, variables = {}) =>
      resolveFlags(flags(), { ...ssh, ...variables }, { sharing: true, browser }).environment.browser;
    expect(browserOf("w3m")).toBeUndefined();
    expect(browserOf("None")).toBe("None");
    expect(browserOf("w3m", { BROWSER: "firefox" })).toBe("firefox");
  });

  it("accept a time limit in seconds", () => {
    expect(resolveFlags(flags({ timeout: "0.5" }), {}, unset).timeout).toBe(0.5);
    expect(resolveFlags(flags({ timeout: "345600" }), {}, unset).timeout).toBe(345_600);
    expect(resolveFlags(flags({}), {}, unset).callerTimeout).toBeUndefined();
    expect(resolveFlags(flags({ callerWaits: "60" }), {}, unset)).toMatchObject({ callerTimeout: 60 });
    expect(resolveFlags(flags({ timeout: "9", callerWaits: "60" }), {}, unset).callerTimeout).toBe(9);
  });
});

describe("opening", () => {
  const here: ReviewEnvironment = {
    remote: false,
    sharing: true,
    ssh: false,
    desktop: true,
    forwardsPorts: false,
  };
  const helper = "/home/ada/.vscode-server/bin/1f/bin/helpers/browser.sh";

  it.each<[string, ReviewEnvironment, boolean, object]>([
    ["the default browser", here, true, { how: "default" }],
    ["a named program", { ...here, browser: "firefox" }, true, { how: "program", program: "firefox" }],
    [
      "a named program without a desktop",
      { ...here, desktop: false, browser: "w3m" },
      true,
      { how: "program" },
    ],
    ["nothing with --no-open", here, false, { how: "not", tunnel: false }],
    ["nothing for none", { ...here, browser: "none" }, true, { how: "not", tunnel: false }],
    ["nothing without a desktop", { ...here, desktop: false }, true, { how: "not", tunnel: false }],
    ["a tunnel over SSH", { ...here, ssh: true }, true, { how: "not", tunnel: true }],
    [
      "the named program over SSH, and a tunnel",
      { ...here, ssh: true, browser: "firefox" },
      true,
      { how: "program", program: "firefox", tunnel: true },
    ],
    [
      "the browser of the person's own machine through VS Code's script over SSH",
      { ...here, ssh: true, browser: helper, forwardsPorts: true },
      true,
      { how: "program", program: helper, tunnel: false },
    ],
    [
      "a forwarded port in a dev container without BROWSER",
      { ...here, desktop: false, forwardsPorts: true },
      true,
      { how: "not", tunnel: false, isForwarded: true },
    ],
    [
      "no program in remote mode",
      { ...here, remote: true, browser: "firefox" },
      true,
      { how: "not", tunnel: true },
    ],
    ["a tunnel in remote mode", { ...here, remote: true }, true, { how: "not", tunnel: true }],
  ])("%s", (_name, environment, open, expected) => {
    expect(chooseOpening(environment, open)).toMatchObject(expected);
  });
});

it("a folder has one port, outside the ephemeral range", () => {
  const ports = Array.from({ length: 500 }, (_, index) => preferredPort(`/work/${index}`));
  expect(preferredPort("/work/7")).toBe(ports[7]);
  expect(new Set(ports).size).toBeGreaterThan(450);
  for (const port of ports) expect(port >= 20_000 && port < 32_000).toBe(true);
});
