import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { claimSession, reportSession } from "../../../src/cli/review/agent-session.ts";
import { countClients } from "../../../src/cli/review/process-tree.ts";
import { type WatchedCaller, watchCaller } from "../../../src/cli/review/watch-caller.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const isLinux = process.platform === "linux";

/** Watches with short pauses, and returns the reported signs. */
function watched(caller: WatchedCaller) {
  const onDoubt = vi.fn();
  onTestFinished(watchCaller(caller, { onDoubt, pause: 20, settle: 200 }).stop);
  return onDoubt;
}

async function newTranscript() {
  const path = join(await temporaryFolder(), "chat.jsonl");
  await writeFile(path, "{}\n");
  return { path, endsTurn: () => false };
}

/** Returns the number that a child process prints first. */
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
      // The process has already ended.
    }
  });
}

const passing = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

describe("watching the caller", () => {
  it("reports nothing while the caller waits, whatever it wrote before", async () => {
    const transcript = await newTranscript();
    const onDoubt = watched({ parent: process.pid, transcript });
    await appendFile(transcript.path, "{}\n");
    await passing(600);
    expect(onDoubt).not.toHaveBeenCalled();
  });

  it("reports a growing transcript once", async () => {
    const transcript = await newTranscript();
    const onDoubt = watched({ parent: process.pid, transcript });
    await passing(500);
    await appendFile(transcript.path, '{"type":"user"}\n');
    await expect.poll(() => onDoubt.mock.calls).toEqual([["went-on"]]);
    await appendFile(transcript.path, "{}\n");
    await passing(200);
    expect(onDoubt).toHaveBeenCalledTimes(1);
  });

  it("reports an entry that ends the turn at once, if it is newer than this process", async () => {
    const transcript = {
      ...(await newTranscript()),
      endsTurn: ({ type }: { type?: unknown }) => type === "abort",
    };
    const onDoubt = vi.fn();
    const watch = watchCaller({ parent: process.pid, transcript }, { onDoubt, pause: 3_600_000 });
    onTestFinished(watch.stop);
    const entry = (timestamp: number) =>
      `${JSON.stringify({ type: "abort", timestamp: new Date(timestamp).toISOString() })}\n`;
    await appendFile(transcript.path, `${entry(performance.timeOrigin - 1_000)}{"type":"abort"}\n`);
    await watch.look();
    expect(onDoubt).not.toHaveBeenCalled();
    await appendFile(transcript.path, entry(Date.now()).slice(0, 20));
    await watch.look();
    expect(onDoubt).not.toHaveBeenCalled();
    await appendFile(transcript.path, entry(Date.now()).slice(20));
    await watch.look();
    expect(onDoubt.mock.calls).toEqual([["went-on"]]);
  });

  it("reports that the same session asked for another review", async () => {
    const path = join(await temporaryFolder(), "session.json");
    await writeFile(path, "first");
    const onDoubt = watched({ parent: process.pid, claim: { path, owner: "first" } });
    await passing(100);
    expect(onDoubt).not.toHaveBeenCalled();
    await writeFile(path, "second");
    await expect.poll(() => onDoubt.mock.calls).toEqual([["asked-again"]]);
  });

  it.each(["decided-in-terminal", "went-on"] as const)(
    "reports a later hook call of the session: %s",
    async (report) => {
      const session = { dataDirectory: await temporaryFolder(), caller: "Qwen Code", agentSession: "s1" };
      const claim = await claimSession(session, "this review");
      const onDoubt = watched({ parent: process.pid, claim });
      await reportSession({ ...session, agentSession: "s2" }, report);
      await passing(100);
      expect(onDoubt).not.toHaveBeenCalled();
      await reportSession(session, report);
      await expect.poll(() => onDoubt.mock.calls).toEqual([[report]]);
    },
  );

  it("checks again on request, between its regular checks", async () => {
    const path = join(await temporaryFolder(), "session.json");
    await writeFile(path, "first");
    const onDoubt = vi.fn();
    const options = { onDoubt, pause: 3_600_000, settle: 0 };
    const watch = watchCaller({ parent: process.pid, claim: { path, owner: "first" } }, options);
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

  it("reports that the last client of an agent's background server is gone", async () => {
    if (!isLinux) return;
    const path = join(await temporaryFolder(), "agent.sock");
    const script = `require("node:net").createServer(() => {}).listen(${JSON.stringify(path)}, () => console.log(process.pid + " "))`;
    const agent = spawn(process.execPath, ["-e", script]);
    onTestFinished(() => void agent.kill("SIGKILL"));
    const pid = await printedPid(agent);
    const windows = [connect(path), connect(path)];
    onTestFinished(() => {
      for (const each of windows) each.destroy();
    });
    await expect.poll(() => countClients(pid)).toBe(2);
    const onDoubt = watched({ parent: pid });
    windows[0]?.destroy();
    await expect.poll(() => countClients(pid)).toBe(1);
    await passing(100);
    expect(onDoubt).not.toHaveBeenCalled();
    windows[1]?.destroy();
    await expect.poll(() => onDoubt.mock.calls).toEqual([["terminal-gone"]]);
  });

  it("does not report the end of a shell that started this command in the background", async () => {
    const shell = spawn(process.execPath, [
      "-e",
      "console.log(process.pid + ' '); setInterval(() => {}, 1000)",
    ]);
    onTestFinished(() => void shell.kill("SIGKILL"));
    const pid = await printedPid(shell);
    const onDoubt = watched({ parent: pid, outlivesParent: true });
    await passing(100);
    shell.kill("SIGKILL");
    await once(shell, "exit");
    await passing(200);
    expect(onDoubt).not.toHaveBeenCalled();
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
