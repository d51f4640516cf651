import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { getStopRequestFile } from "../../../../src/cli/proxy/running-proxies.ts";
import { untilStopped, watchStopRequest } from "../../../../src/cli/proxy/start/until-stopped.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A proxy whose running responses end when the test ends them. `calls` lists the calls of its methods, in order. */
function fakeServing(failures: { readonly refuse?: Error; readonly close?: Error } = {}) {
  const calls: string[] = [];
  let endResponses = () => {};
  const responsesEnd = new Promise<void>((resolve) => {
    endResponses = resolve;
  });
  const asked = (name: string, error?: Error) => {
    calls.push(name);
    return error ? Promise.reject(error) : Promise.resolve();
  };
  const serving = {
    announceStop: () => asked("announceStop"),
    refuse: () => asked("refuse", failures.refuse),
    drained: () => asked("drained").then(() => responsesEnd),
    close: () => asked("close", failures.close),
  };
  return { serving, calls, endResponses: () => endResponses() };
}

const quiet = { note: () => {} };
const AT_ONCE = () => ({ drainDelayMs: 0, drainTimeoutMs: 30_000 });
const listeners = () => process.listenerCount("SIGTERM") + process.listenerCount("SIGINT");

describe("stopping a proxy", () => {
  it("waits for running responses, then restores the signals' default behavior", async () => {
    const before = listeners();
    const { serving, calls, endResponses } = fakeServing();
    const over = untilStopped(serving, quiet, AT_ONCE);
    process.emit("SIGTERM", "SIGTERM");
    endResponses();
    expect(await over).toBe(0);
    expect(calls).toEqual(["announceStop", "refuse", "drained", "close"]);
    expect(listeners()).toBe(before);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("comes at once with a second signal, whose code it has: %s, %i", async (signal, code) => {
    const { serving, calls } = fakeServing();
    const over = untilStopped(serving, quiet, AT_ONCE);
    process.emit("SIGTERM", "SIGTERM");
    process.emit(signal, signal);
    expect(await over).toBe(code);
    expect(calls.filter((call) => call === "close")).toHaveLength(1);
  });

  it("keeps serving during the delay, and a second signal ends that too", async () => {
    const { serving, calls } = fakeServing();
    const notes: string[] = [];
    const over = untilStopped(serving, { note: (line) => notes.push(line) }, () => ({
      drainDelayMs: 2 ** 31 - 1,
      drainTimeoutMs: 0,
    }));
    process.emit("SIGTERM", "SIGTERM");
    while (notes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(["announceStop"]);
    process.emit("SIGTERM", "SIGTERM");
    expect(await over).toBe(143);
    expect(calls).toEqual(["announceStop", "close"]);
  });

  it("closes the listener after the delay, and waits without limit if the timeout is 0", async () => {
    const { serving, calls, endResponses } = fakeServing();
    const notes: string[] = [];
    const over = untilStopped(serving, { note: (line) => notes.push(line) }, () => ({
      drainDelayMs: 1,
      drainTimeoutMs: 0,
    }));
    process.emit("SIGTERM", "SIGTERM");
    while (notes.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(notes[1]).toContain("no time limit");
    endResponses();
    expect(await over).toBe(0);
    expect(calls).toEqual(["announceStop", "refuse", "drained", "close"]);
  });

  it("ends calls that take longer than the timeout", async () => {
    const { serving, calls } = fakeServing();
    const over = untilStopped(serving, quiet, () => ({ drainDelayMs: 0, drainTimeoutMs: 1 }));
    process.emit("SIGTERM", "SIGTERM");
    expect(await over).toBe(0);
    expect(calls).toEqual(["announceStop", "refuse", "drained", "close"]);
  });

  it.each(["refuse", "close"] as const)("states why %s failed", async (name) => {
    const { serving, endResponses } = fakeServing({ [name]: new Error(`no ${name}`) });
    const over = untilStopped(serving, quiet, AT_ONCE);
    process.emit("SIGTERM", "SIGTERM");
    endResponses();
    await expect(over).rejects.toThrow(`no ${name}`);
    // A listener left over from one test would stop the proxy of the next one.
    process.emit("SIGTERM", "SIGTERM");
  });

  it("stops a proxy on Windows when another process writes its stop request", async () => {
    const data = await temporaryFolder();
    const path = getStopRequestFile(data, process.pid);
    await mkdir(dirname(path), { recursive: true });
    const stops: string[] = [];
    onTestFinished(watchStopRequest(data, "win32", () => void stops.push("stop")));
    await writeFile(path, "");
    await expect.poll(() => stops, { timeout: 5_000 }).toEqual(["stop"]);
  });
});
