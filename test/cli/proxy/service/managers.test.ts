import { describe, expect, it } from "vitest";
import { createServiceManager } from "../../../../src/cli/proxy/service/create-service-manager.ts";
import { createLaunchd } from "../../../../src/cli/proxy/service/launchd.ts";
import { createSystemd } from "../../../../src/cli/proxy/service/systemd.ts";
import { createWindowsTasks } from "../../../../src/cli/proxy/service/windows-tasks.ts";
import type { CommandResult } from "../../../../src/cli/run-command.ts";

/** Records commands; the first one that begins with a key of `results` has that result. */
function recorder(results: Readonly<Record<string, Partial<CommandResult>>> = {}) {
  const lines: string[] = [];
  const run = async (program: string, args: readonly string[]): Promise<CommandResult> => {
    const line = [program, ...args].join(" ");
    lines.push(line);
    const found = Object.entries(results).find(([start]) => line.startsWith(start));
    return { code: 0, stdout: "", stderr: "", ...found?.[1] };
  };
  return { run, lines };
}

describe("systemd", () => {
  const create = (run: ReturnType<typeof recorder>["run"], environment = {}) =>
    createSystemd({ environment, home: "/home/dev", run });

  it("reads the unit again, enables and restarts it", async () => {
    const { run, lines } = recorder();
    await create(run).enable();
    expect(lines).toEqual([
      "systemctl --user daemon-reload",
      "systemctl --user enable sallyport-proxy.service",
      "systemctl --user restart sallyport-proxy.service",
    ]);
  });

  it("keeps the unit where systemd looks for those of a user", () => {
    const { run } = recorder();
    expect(create(run).file).toBe("/home/dev/.config/systemd/user/sallyport-proxy.service");
    expect(create(run, { XDG_CONFIG_HOME: "/etc/me" }).file).toBe(
      "/etc/me/systemd/user/sallyport-proxy.service",
    );
  });

  it("reports the state in systemd's words", async () => {
    const shown = "LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\n";
    const { run } = recorder({ systemctl: { stdout: shown } });
    expect(await create(run).state()).toEqual({
      installed: true,
      enabled: true,
      running: true,
      detail: "active (running)",
    });
  });

  it("explains a missing session bus", async () => {
    const { run } = recorder({
      systemctl: { code: 1, stderr: "Failed to connect to bus: No medium found\n" },
    });
    await expect(create(run).enable()).rejects.toMatchObject({
      code: "service_failed",
      message: "systemctl --user daemon-reload failed: Failed to connect to bus: No medium found",
    });
    await expect(create(run).state()).rejects.toMatchObject({
      code: "service_failed",
      message: expect.stringMatching(/^systemctl --user show .* failed: Failed to connect to bus: No medium/),
      hint: expect.stringContaining("sallyport proxy start --detach"),
    });
  });

  it("explains that it is not installed", async () => {
    const { run } = recorder({ systemctl: { code: undefined } });
    await expect(create(run).enable()).rejects.toThrow(/systemctl is not installed/);
  });
});

describe("launchd", () => {
  it("replaces a loaded agent", async () => {
    const { run, lines } = recorder({ "launchctl bootout": { code: 3 } });
    await createLaunchd({ home: "/Users/dev", uid: 501, run }).enable();
    expect(lines).toEqual([
      "launchctl bootout gui/501/sallyport.proxy",
      "launchctl enable gui/501/sallyport.proxy",
      "launchctl bootstrap gui/501 /Users/dev/Library/LaunchAgents/sallyport.proxy.plist",
    ]);
  });

  it("waits until launchd has released the old agent", async () => {
    const { run: succeed, lines } = recorder();
    const codes = [5, 37, 0];
    const run: typeof succeed = async (program, args) => {
      const result = await succeed(program, args);
      return args[0] === "bootstrap" ? { ...result, code: codes.shift() } : result;
    };
    await createLaunchd({ home: "/Users/dev", uid: 501, run, pauseMs: 1 }).enable();
    expect(lines.filter((line) => line.startsWith("launchctl bootstrap"))).toHaveLength(3);
  });

  it("reports a failure of launchctl without waiting if no agent was loaded", async () => {
    const { run, lines } = recorder({
      "launchctl bootout": { code: 3 },
      "launchctl bootstrap": { code: 5, stderr: "Bootstrap failed: 5: Input/output error" },
    });
    const manager = createLaunchd({ home: "/Users/dev", uid: 501, run });
    await expect(manager.enable()).rejects.toMatchObject({ code: "service_failed" });
    expect(lines).toHaveLength(3);
  });

  it("reports the state that launchctl prints", async () => {
    const { run } = recorder({
      "launchctl print": { stdout: "gui/501/sallyport.proxy = {\n\tstate = running\n}" },
    });
    const manager = createLaunchd({ home: "/Users/dev", uid: 501, run });
    expect(await manager.state()).toMatchObject({ installed: true, running: true, detail: "running" });
  });
});

describe("the Windows Task Scheduler", () => {
  const create = (run: ReturnType<typeof recorder>["run"]) =>
    createWindowsTasks({ environment: { USERDOMAIN: "PC", USERNAME: "dev" }, home: "C:\\Users\\dev", run });

  it("creates the task from its definition and runs it", async () => {
    const { run, lines } = recorder();
    const manager = create(run);
    await manager.enable();
    expect(lines).toEqual([
      `schtasks /Create /F /TN Sallyport Proxy /XML ${manager.file}`,
      "schtasks /Run /TN Sallyport Proxy",
    ]);
  });

  it("ends the task before deleting it, also if it is not running", async () => {
    const { run, lines } = recorder({ schtasks: { stdout: "" } });
    await create(run).disable();
    expect(lines).toEqual(["schtasks /End /TN Sallyport Proxy", "schtasks /Delete /F /TN Sallyport Proxy"]);
    const failing = create(async (program, args) => ({
      ...(await run(program, args)),
      code: args[0] === "/End" ? 1 : 0,
    }));
    await expect(failing.disable()).resolves.toBeUndefined();
  });

  it.each([
    ["1", { enabled: false, running: false, detail: "disabled" }],
    ["3", { enabled: true, running: false, detail: "ready" }],
    ["4", { enabled: true, running: true, detail: "running" }],
    ["", { enabled: true, running: false, detail: "unknown" }],
  ])("reports the state from its number %j, in every language of the system", async (state, expected) => {
    const { run } = recorder({
      schtasks: { stdout: '"\\Sallyport Proxy","N/A","Wird ausgeführt"\r\n' },
      "powershell.exe": { stdout: `${state}\r\n` },
    });
    expect(await create(run).state()).toEqual({ installed: true, ...expected });
  });

  it("reports a task that does not exist as not installed", async () => {
    const { run } = recorder({ schtasks: { code: 1 } });
    expect(await create(run).state()).toEqual({
      installed: false,
      enabled: false,
      running: false,
      detail: "not installed",
    });
  });
});

describe("the service manager of a platform", () => {
  it.each([
    ["linux", "systemd"],
    ["darwin", "launchd"],
    ["win32", "windows"],
  ] as const)("of %s is %s", (platform, name) => {
    expect(createServiceManager(platform, recorder().run).name).toBe(name);
  });

  it("is missing elsewhere", () => {
    expect(() => createServiceManager("freebsd", recorder().run)).toThrow(/no service manager for freebsd/);
  });
});
