import { subscribe } from "node:diagnostics_channel";
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";

/** Bytes of the young generation at which it stops growing: V8's own maximum in Node.js 20. */
const ENOUGH_BYTES = 32 * 1024 * 1024;

/**
 * Maximum growth of the old generation between two full collections, in percent of the size of the objects in use.
 * Without this limit, V8 lets the old generation grow to a multiple of that size, most of which is garbage of completed
 * calls: with Node.js 24, the proxy used 327 MB after 24,000 calls, and 179 MB with this limit
 * (bench/proxy/memory.mjs).
 */
const GROWTH_PERCENT = 40;

/**
 * Maximum growth while full collections are frequent, in bytes. V8 counts buffers as growth. Up to 32 MB of the
 * buffers of completed calls wait for the next collection of the young generation, so with a lower limit, calls with
 * bodies of 180 kB cause a full collection every 50 to 200 calls and use two to three times the CPU time
 * (bench/proxy/cost.mjs). At 64 MB of buffers, V8 starts a full collection regardless of the limit.
 */
const BUSY_GROWTH_BYTES = 80 * 1024 * 1024;

/** Full collections less than this many milliseconds apart are frequent. */
const FREQUENT_MS = 250;
/** Full collections more than this many milliseconds apart are rare. */
const RARE_MS = 5_000;

/** Limits both generations of V8's heap in a process that serves calls. The flags take effect in a running process. */
export function limitHeap(): void {
  limitOldGeneration();
  limitYoungGeneration();
}

function limitOldGeneration(): void {
  setGrowth(GROWTH_PERCENT);
  let last = Number.NEGATIVE_INFINITY;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!isFullCollection(entry)) continue;
      const { startTime } = entry;
      if (startTime - last < FREQUENT_MS) setGrowth(toPercent(BUSY_GROWTH_BYTES));
      else if (startTime - last > RARE_MS) setGrowth(GROWTH_PERCENT);
      last = startTime;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}

function isFullCollection(entry: PerformanceEntry): boolean {
  // The types of Node.js omit the detail of these entries.
  const { detail } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Converts a growth of the heap from bytes to percent of its present size. Returns at least `GROWTH_PERCENT`. */
function toPercent(growthBytes: number): number {
  const { used_heap_size: used } = getHeapStatistics();
  return Math.max(GROWTH_PERCENT, Math.ceil((100 * growthBytes) / used));
}

function setGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Stops V8's young generation from growing beyond 32 MB, or 64 MB if it grows twice before the observer is called.
 * Since Node.js 22 the young generation grows to 64 MB and more under load, and V8 keeps that memory. With the limit,
 * the proxy uses 80 to 100 MB less memory, and a call uses 0 to 6 % more CPU time (bench/proxy/cost.mjs). The option
 * --max-semi-space-size has no effect in a running process, but V8 reads --semi-space-growth-factor before each growth.
 */
function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < ENOUGH_BYTES) return;
    stopGrowth();
    // When V8 configures the heap of a new thread, it sets the factor to 2 for all threads.
    subscribe("worker_threads", (message) =>
      (message as { worker: Worker }).worker.once("online", stopGrowth),
    );
    observer.disconnect();
  });
  observer.observe({ entryTypes: ["gc"] });
}

function stopGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
