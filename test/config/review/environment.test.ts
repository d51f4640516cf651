import { describe, expect, it } from "vitest";
import {
  forwardedHost,
  readReviewEnvironment,
  warnOfUnknownSwitches,
} from "../../../src/config/review/environment.ts";

const read = (environment: Record<string, string>) => readReviewEnvironment(environment, "linux");

describe("the environment", () => {
  it("asks for nothing when empty", () => {
    expect(read({})).toEqual({
      remote: false,
      sharing: true,
      ssh: false,
      desktop: false,
      forwardsPorts: false,
    });
  });

  it.each(["1", "true", "TRUE", "yes", "Yes", "on", " ON "])("SERVICE_REMOTE=%j is remote", (value) => {
    expect(read({ SERVICE_REMOTE: value }).remote).toBe(true);
  });

  it.each(["", "0", "false", "off", "2", "remote"])("SERVICE_REMOTE=%j is local", (value) => {
    expect(read({ SERVICE_REMOTE: value }).remote).toBe(false);
  });

  it.each(["disabled", "DISABLED", "0", "false", "no", "off"])("SERVICE_SHARE=%j shares nothing", (value) => {
    expect(read({ SERVICE_SHARE: value }).sharing).toBe(false);
  });

  it.each(["", "1", "enabled", "anything"])("SERVICE_SHARE=%j shares", (value) => {
    expect(read({ SERVICE_SHARE: value }).sharing).toBe(true);
  });

  it("reports switches with unknown values, which have no effect", () => {
    expect(warnOfUnknownSwitches({ SERVICE_REMOTE: "maybe", SERVICE_SHARE: "none" })).toEqual([
      'Warning: SERVICE_REMOTE="maybe" has no effect. Set it to 1 or 0.',
      'Warning: SERVICE_SHARE="none" has no effect. Set it to 1 or 0.',
    ]);
    for (const value of ["", "1", " On ", "0", "disabled", "enabled"])
      expect(warnOfUnknownSwitches({ SERVICE_REMOTE: value, SERVICE_SHARE: value })).toEqual([]);
  });

  it.each(["0", "65536", "80a", "-1", "1.5", "1e3", "0x50"])("SERVICE_PORT=%j is refused", (value) => {
    expect(() => read({ SERVICE_PORT: value })).toThrowError(value);
  });

  it("SERVICE_PORT is a port", () => {
    expect(read({ SERVICE_PORT: "1" }).port).toBe(1);
    expect(read({ SERVICE_PORT: "65535" }).port).toBe(65_535);
    expect(read({ SERVICE_PORT: "" }).port).toBeUndefined();
  });

  it("finds the Codespace and the host of a forwarded port", () => {
    const variables = {
      CODESPACE_NAME: "Fluffy-Doodle-7x",
      GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: "app.github.dev",
    };
    const { codespace, forwardsPorts } = read(variables);
    expect(forwardsPorts).toBe(true);
    expect(codespace && forwardedHost(codespace, 20_123)).toBe("fluffy-doodle-7x-20123.app.github.dev");
    expect(read({ ...variables, CODESPACE_NAME: "a.evil/x" }).codespace).toBeUndefined();
    expect(read({ CODESPACE_NAME: "a" }).codespace).toBeUndefined();
  });

  it.each([
    [{ REMOTE_CONTAINERS: "true" }, true],
    [{ BROWSER: "/home/ada/.vscode-server/cli/servers/Stable-1f/server/bin/helpers/browser.sh" }, true],
    [{ BROWSER: "/root/.cursor-server/bin/1f/bin/helpers/browser.sh" }, true],
    [{ BROWSER: "firefox" }, false],
    [{}, false],
  ])("knows an editor that forwards ports: %j", (variables, expected) => {
    expect(read(variables).forwardsPorts).toBe(expected);
  });

  it("SERVICE_BROWSER goes before BROWSER", () => {
    expect(read({ SERVICE_BROWSER: "a", BROWSER: "b" }).browser).toBe("a");
    expect(read({ BROWSER: "b" }).browser).toBe("b");
  });

  it("over SSH, only BROWSER names a program, and either can switch it off", () => {
    const over = (variables: Record<string, string>) => read({ SSH_TTY: "/dev/pts/1", ...variables }).browser;
    expect(over({ SERVICE_BROWSER: "a" })).toBeUndefined();
    expect(over({ SERVICE_BROWSER: "a", BROWSER: "b" })).toBe("b");
    expect(over({ SERVICE_BROWSER: "none", BROWSER: "b" })).toBe("none");
  });

  it("knows Claude Code by what it leaves there, unless told otherwise", () => {
    expect(read({ CLAUDECODE: "1" }).origin).toBe("origin_a");
    expect(read({ CLAUDECODE: "1", SERVICE_ORIGIN: "origin_b" }).origin).toBe("origin_b");
  });

  it("sees SSH and a desktop", () => {
    expect(read({ SSH_CONNECTION: "x" }).ssh).toBe(true);
    expect(read({ SSH_TTY: "x" }).ssh).toBe(true);
    expect(read({ DISPLAY: ":0" }).desktop).toBe(true);
    expect(readReviewEnvironment({}, "darwin").desktop).toBe(true);
  });
});
