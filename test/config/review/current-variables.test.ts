import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentVariables, withClient } from "../../../src/config/review/current-variables.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("current variables", () => {
  const shell = {
    TMUX: "/tmp/tmux-0/default,1,0",
    SSH_CONNECTION: "1 2 3 4",
    SSH_TTY: "/dev/pts/1",
    PATH: "/bin",
  };

  it("takes those of the client that is attached to tmux", () => {
    expect(withClient(shell, "DISPLAY=:0\n-SSH_CONNECTION\nHOME=/root\n")).toEqual({
      TMUX: shell.TMUX,
      PATH: "/bin",
      DISPLAY: ":0",
      SSH_CONNECTION: undefined,
      SSH_TTY: undefined,
    });
    const local = { TMUX: shell.TMUX, DISPLAY: ":0" };
    expect(withClient(local, "-DISPLAY\nSSH_CONNECTION=5 6 7 8\n")).toMatchObject({
      DISPLAY: undefined,
      SSH_CONNECTION: "5 6 7 8",
    });
    expect(withClient(shell, "")).toBe(shell);
  });

  it("runs the tmux on the PATH, and continues without it", async () => {
    if (process.platform === "win32") return;
    const folder = await temporaryFolder();
    const missing = { ...shell, PATH: folder };
    expect(await currentVariables(missing)).toEqual(missing);
    const program = join(folder, "tmux");
    await writeFile(program, '#!/bin/sh\n[ "$1" = show-environment ] && echo "-SSH_CONNECTION"\n');
    await chmod(program, 0o755);
    const current = await currentVariables({ ...shell, PATH: `${folder}:/bin:/usr/bin` });
    expect(current["SSH_CONNECTION"]).toBeUndefined();
  });

  it("leaves out the script of an editor whose window was closed", async () => {
    const browser = "/root/.vscode-server/bin/1f/bin/helpers/browser.sh";
    const folder = await temporaryFolder();
    const socket = join(folder, "vscode-ipc.sock");
    const closed = { BROWSER: browser, VSCODE_IPC_HOOK_CLI: socket };
    expect((await currentVariables(closed))["BROWSER"]).toBeUndefined();
    await writeFile(socket, "");
    expect((await currentVariables(closed))["BROWSER"]).toBe(browser);
    expect(
      (await currentVariables({ ...closed, BROWSER: "firefox", VSCODE_IPC_HOOK_CLI: "/none" }))["BROWSER"],
    ).toBe("firefox");
  });
});
