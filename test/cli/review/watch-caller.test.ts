import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type WatchedCaller, watchCaller } from "../../../src/cli/review/watch-caller.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const isLinux = process.platform === "linux";

/** Watches with short pauses, and gives back what is reported. */
function watched(caller: WatchedCaller) {
  const onDoubt = vi.fn();
  onTestFinished(watchCaller(caller, { onDoubt, pause: 20, settle: 200 }).stop);
  return onDoubt;
}

/** The number that a child prints first. */
async function printedPid(child: ChildProcess): Promise<number> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    const pid = /(\d+)\s/.exec(text)?.[1];
    if (pid !== undefined) return Number(pid);
  }
  throw new Error("the child printed no process id");
}

function killLater(pid: number): void {
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  });
}

const passing = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

describe("watching the caller", () => {
  it("reports nothing while the caller waits, whatever it wrote before", async () => {
    const transcript = join(await temporaryFolder(), "chat.jsonl");
    await writeFile(transcript, "{}\n");
    const onDoubt = watched({ parent: process.pid, transcript });
    await appendFile(transcript, "{}\n");
    await passing(600);
    expect(onDoubt).not.toHaveBeenCalled();
  });

  it("reports a growing transcript once", async () => {
    const transcript = join(await temporaryFolder(), "chat.jsonl");
    await writeFile(transcript, "{}\n");
    const onDoubt = watched({ parent: process.pid, transcript });
    await passing(500);
    await appendFile(transcript, '{"type":"user"}\n');
    await expect.poll(() => onDoubt.mock.calls).toEqual([["went-on"]]);
    await appendFile(transcript, "{}\n");
    await passing(200);
    expect(onDoubt).toHaveBeenCalledTimes(1);
  });

  it("reports that the same session asked for another review", async () => {
    const path = join(await temporaryFolder(), "session.json");
    await writeFile(path, "first");
    const onDoubt = watched({ parent: process.pid, claim: { path, sessionId: "first" } });
    await passing(100);
    expect(onDoubt).not.toHaveBeenCalled();
    await writeFile(path, "second");
    await expect.poll(() => onDoubt.mock.calls).toEqual([["asked-again"]]);
  });

  it("checks again on request, between its regular checks", async () => {
    const path = join(await temporaryFolder(), "session.json");
    await writeFile(path, "first");
    const onDoubt = vi.fn();
    const options = { onDoubt, pause: 3_600_000, settle: 0 };
    const watch = watchCaller({ parent: process.pid, claim: { path, sessionId: "first" } }, options);
    onTestFinished(watch.stop);
    await watch.look();
    expect(onDoubt).not.toHaveBeenCalled();
    await writeFile(path, "second");
    await watch.look();
    await watch.look();
    expect(onDoubt.mock.calls).toEqual([["asked-again"]]);
  });

  it("reports that an agent with a short timeout no longer reads the result", async () => {
    const onDoubt = watched({ parent: process.pid, listensFor: 0.3 });
    expect(onDoubt).not.toHaveBeenCalled();
    await expect.poll(() => onDoubt.mock.calls).toEqual([["limit-passed"]]);
  });

  it("reports that the launcher of a real agent was killed", async () => {
    const agent = "setInterval(() => {}, 1000)";
    const launcher = spawn(process.execPath, [
      "-e",
      `const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(agent)}], { stdio: "ignore" });
       console.log(child.pid + " ");
       setInterval(() => {}, 1000);`,
    ]);
    onTestFinished(() => void launcher.kill("SIGKILL"));
    const pid = await printedPid(launcher);
    killLater(pid);
    const onDoubt = watched({ parent: pid });
    await passing(200);
    expect(onDoubt).not.toHaveBeenCalled();
    launcher.kill("SIGKILL");
    await once(launcher, "exit");
    if (isLinux) await expect.poll(() => onDoubt.mock.calls).toEqual([["launcher-gone"]]);
  });

  it("reports that the terminal of a real agent was closed", async () => {
    if (!isLinux) return;
    const script = "trap '' HUP; echo \"$$ \"; while :; do sleep 1; done";
    const terminal = spawn(
      "script",
      ["-qfc", `sh -c ${JSON.stringify(script).replaceAll("$", "\\$")}`, "/dev/null"],
      {
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const pid = await printedPid(terminal);
    killLater(pid);
    const onDoubt = watched({ parent: pid });
    await passing(200);
    expect(onDoubt).not.toHaveBeenCalled();
    terminal.kill("SIGKILL");
    await expect.poll(() => onDoubt.mock.calls.length).toBe(1);
    expect(["terminal-gone", "launcher-gone"]).toContain(onDoubt.mock.calls[0]?.[0]);
  });
});
