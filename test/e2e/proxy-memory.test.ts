import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

/** Writes the largest size of the young generation that was seen after a garbage collection. */
const PRELOADED = `
const { renameSync, writeFileSync } = require("node:fs");
const { PerformanceObserver } = require("node:perf_hooks");
const { getHeapSpaceStatistics } = require("node:v8");
let largest = 0;
if (process.argv.includes("start"))
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young.space_size <= largest) return;
    largest = young.space_size;
    writeFileSync(process.env.YOUNG_SIZE + ".new", String(largest));
    renameSync(process.env.YOUNG_SIZE + ".new", process.env.YOUNG_SIZE);
  }).observe({ entryTypes: ["gc"] });
`;

it("keeps the young generation small under load", async () => {
  const folder = await sandbox();
  const preloaded = join(folder, "preloaded.cjs");
  const size = join(folder, "size");
  await writeFile(preloaded, PRELOADED);
  const port = await quietPort();
  const command = await startCommand(["proxy", "start", "--port", String(port)], {
    folder,
    // Without the limit, the young generation grows to twice this size.
    environment: { NODE_OPTIONS: `--max-semi-space-size=64 --require ${preloaded}`, YOUNG_SIZE: size },
  });
  await command.waitForOutput(/Proxy listening/);
  const body = JSON.stringify({
    model: "echo/any",
    max_tokens: 9,
    messages: Array.from({ length: 2_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}`,
    })),
  });
  const call = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Echo")]);
  };
  for (let round = 0; round < 20; round += 1) {
    // All the calls arrive while the process is stopped, so it handles them in few turns of its event loop.
    command.child.kill("SIGSTOP");
    const calls = Array.from({ length: 40 }, call);
    await sleep(100);
    command.child.kill("SIGCONT");
    await Promise.all(calls);
  }
  const bytes = Number(await readFile(size, "utf8"));
  expect(bytes).toBeGreaterThan(1_000_000);
  // A busy process can outgrow 32 MB once before it learns of the growth.
  expect(bytes).toBeLessThan(80_000_000);
  command.child.kill("SIGTERM");
  expect((await command.ended).code).toBe(0);
});

/** Starts a proxy with a preloaded script. Resolves with the figure that the script writes to the file named by `variable`. */
async function startMeasured(script: string, variable: string) {
  const folder = await sandbox();
  const preloaded = join(folder, "preloaded.cjs");
  const file = join(folder, "figure");
  await writeFile(preloaded, script);
  const port = await quietPort();
  const command = await startCommand(["proxy", "start", "--port", String(port)], {
    folder,
    environment: { NODE_OPTIONS: `--require ${preloaded}`, [variable]: file },
  });
  await command.waitForOutput(/Proxy listening/);
  await expect.poll(() => readFile(file, "utf8").catch(() => "")).not.toBe("");
  return { figure: Number(await readFile(file, "utf8")), command };
}

/**
 * Replaces its objects again and again once the proxy has started, slowly enough that full collections are not frequent,
 * and writes the median size of the old generation. The largest size says more about the machine: a marking thread that
 * has to wait for a processor ends late.
 */
const CHURN = `
const { writeFileSync } = require("node:fs");
const { getHeapSpaceStatistics } = require("node:v8");
const kept = [];
const sizes = [];
function replace(turn) {
  for (let index = 0; index < 20; index += 1)
    kept[(turn * 20 + index) % 400] = Array.from({ length: 2_000 }, (_, number) => ({ number, turn }));
  if (turn > 60) sizes.push(getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space").space_size);
  if (turn < 180) setTimeout(replace, 30, turn + 1);
  else writeFileSync(process.env.OLD_BYTES, String(sizes.sort((one, other) => one - other)[sizes.length / 2]));
}
if (process.argv.includes("start")) setTimeout(replace, 3_000, 0);
`;

it("collects the garbage of the old generation before it is larger than the objects in use", async () => {
  const { figure, command } = await startMeasured(CHURN, "OLD_BYTES");
  expect(figure).toBeGreaterThan(30_000_000);
  // 66 to 98 MB with the limit, 136 to 219 MB without.
  expect(figure).toBeLessThan(117_000_000);
  command.child.kill("SIGTERM");
  expect((await command.ended).code).toBe(0);
});

/** Replaces buffers once the proxy has started, and writes how many full collections ran while it replaced 720 MB. */
const BUFFERS = `
const { writeFileSync } = require("node:fs");
const { constants, PerformanceObserver } = require("node:perf_hooks");
const kept = [];
let full = 0;
function replace(turn) {
  for (let index = 0; index < 10; index += 1) kept[(turn * 10 + index) % 64] = Buffer.alloc(180_000);
  if (turn === 100) full = 0;
  if (turn < 500) setTimeout(replace, 5, turn + 1);
  else writeFileSync(process.env.FULL_COLLECTIONS, String(full));
}
if (process.argv.includes("start")) {
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full += 1;
  }).observe({ entryTypes: ["gc"] });
  setTimeout(replace, 3_000, 0);
}
`;

it("collects seldom while the bodies of calls are large", async () => {
  const { figure, command } = await startMeasured(BUFFERS, "FULL_COLLECTIONS");
  // In Node.js 20, none, or 22 if the heap may only grow by 40 % between two. Later versions run 11 to 16 in both cases.
  expect(figure).toBeLessThan(18);
  command.child.kill("SIGTERM");
  expect((await command.ended).code).toBe(0);
});
