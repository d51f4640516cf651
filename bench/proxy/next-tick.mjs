// Measures `process.nextTick` in a process that has been idle through garbage collections, without and with a tick
// object retained from the start (`keepNextTickFast` in src/proxy/create-proxy.ts). A 1 kB call of the native lane
// makes seven calls.
//   node --expose-gc bench/proxy/next-tick.mjs [--retain]
import { executionAsyncResource } from "node:async_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { median } from "../report.mjs";

const COUNT = 400_000;
const GROUP = 100;
if (globalThis.gc === undefined) throw new Error("gc() is missing: pass --expose-gc");
const retains = process.argv.includes("--retain");
const retained = [];
if (retains) process.nextTick(() => retained.push(executionAsyncResource()));
await runTicks();
const costs = [];
for (let round = 0; round < 5; round += 1) {
  for (let collection = 0; collection < 10; collection += 1) {
    await delay(20);
    gc();
  }
  await delay(20);
  const before = process.cpuUsage();
  await runTicks();
  const { user, system } = process.cpuUsage(before);
  costs.push((user + system) / COUNT);
}
console.log(`${process.version}, ${retains ? "retained" : "not retained"}: ${median(costs).toFixed(3)} µs`);

/** Queues the ticks in groups, each in a turn of the event loop. */
function runTicks() {
  return new Promise((resolve) => {
    const tick = () => {};
    const turn = (remaining) => {
      for (let index = 0; index < GROUP; index += 1) process.nextTick(tick);
      if (remaining > GROUP) setImmediate(turn, remaining - GROUP);
      else setImmediate(resolve);
    };
    turn(COUNT);
  });
}
