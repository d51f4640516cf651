import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";

/** V8's default factor by which the young generation grows. */
const V8_GROWTH_FACTOR = 2;

/**
 * Bytes of the young generation at which it stops growing. In Node.js 20, the 32 MB are V8's own maximum: with 16 MB,
 * streams would use 3 % more CPU time (bench/proxy/builds.mjs).
 */
const ENOUGH_BYTES = (Number.parseInt(process.versions.node, 10) > 20 ? 16 : 32) * 1024 * 1024;

/**
 * Maximum growth of the old generation between two full collections, in percent of the size of the objects in use, and
 * at least `GROWTH_BYTES`. Without this limit, V8 lets the old generation grow to a multiple of that size, most of
 * which is garbage of completed calls: with Node.js 24, the proxy used 354 MB after 60,000 calls
 * (bench/proxy/memory.mjs).
 */
const GROWTH_PERCENT = 40;
/**
 * Maximum growth in bytes if `GROWTH_PERCENT` allows less. With the percentage alone and a heap of 28 MB, translated
 * calls caused a full collection every 400 ms, and V8's helper threads used a sixth of the CPU time of a call
 * (bench/translate/cost.mjs).
 */
const GROWTH_BYTES = 16 * 1024 * 1024;

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

/**
 * Limits both generations of V8's heap, and the memory of its compilers, in a process that serves calls. V8 accepts
 * compiled code only if it was stored with the flags of the process that loads it: call this when the parts that each
 * start needs are loaded. `scripts/start/code-cache.mjs` resets the flags before it stores compiled code.
 */
export function limitHeap(): void {
  limitOldGeneration();
  limitYoungGeneration();
  limitCompilers();
}

/**
 * Limits the heap when `loaded` has settled, or at the first request, if that is earlier: the young generation would
 * grow during the first calls, and V8 keeps its memory. V8 does not use the stored code of parts that are loaded later.
 */
export function limitHeapAfter(loaded: Promise<unknown>): void {
  const limit = () => {
    if (!unsubscribe(FIRST_REQUEST, limit)) return;
    limitHeap();
  };
  subscribe(FIRST_REQUEST, limit);
  void loaded.finally(limit);
}

/** The channel of `node:http` for each request that arrives. */
const FIRST_REQUEST = "http.server.request.start";

function limitOldGeneration(): void {
  let growthBytes = GROWTH_BYTES;
  let last = Number.NEGATIVE_INFINITY;
  setGrowth(growthBytes);
  // The limit applies only after a full collection. With Node.js 24, V8 runs the first one so late in about half of all
  // starts that the heap keeps 15 MB more (bench/proxy/memory.mjs). A trigger above 0 starts it soon, concurrently.
  setFlagsFromString("--incremental-marking-soft-trigger=1");
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!isFullCollection(entry)) continue;
      const { startTime } = entry;
      if (startTime - last < FREQUENT_MS) growthBytes = BUSY_GROWTH_BYTES;
      else if (startTime - last > RARE_MS) growthBytes = GROWTH_BYTES;
      setGrowth(growthBytes);
      setFlagsFromString("--incremental-marking-soft-trigger=0");
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

/** Sets the growth of the heap until the next full collection. */
function setGrowth(growthBytes: number): void {
  const { used_heap_size: used } = getHeapStatistics();
  const percent = Math.max(GROWTH_PERCENT, Math.ceil((100 * growthBytes) / used));
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Keeps V8's young generation at `ENOUGH_BYTES`, or at twice that if it grows twice before the observer is called.
 * Since Node.js 22 the young generation grows to 64 MB and more under load, and V8 keeps that memory. With a limit of
 * 32 MB, the proxy uses 80 to 100 MB less, and with 16 MB about 20 MB less than that (bench/proxy/memory.mjs). The
 * option --max-semi-space-size has no effect in a running process, but V8 reads --semi-space-growth-factor before each
 * growth. V8 also shrinks the young generation of a process that allocates little, so growth is allowed again below the
 * limit.
 */
function limitYoungGeneration(): void {
  let factor = V8_GROWTH_FACTOR;
  const check = () => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const next = (young?.space_size ?? 0) < ENOUGH_BYTES ? V8_GROWTH_FACTOR : 1;
    if (next === factor) return;
    factor = next;
    setFlagsFromString(`--semi-space-growth-factor=${next}`);
  };
  check();
  new PerformanceObserver(check).observe({ entryTypes: ["gc"] });
  // When V8 configures the heap of a new thread, it sets the factor to 2 for all threads.
  subscribe("worker_threads", (message) =>
    (message as { worker: Worker }).worker.once("online", () => {
      factor = V8_GROWTH_FACTOR;
      check();
    }),
  );
}

/**
 * The major versions of Node.js whose V8 uses Maglev by default. `scripts/start/code-cache.mjs` has the defaults of
 * their flags.
 */
const WITH_MAGLEV = [24, 26];

/**
 * Compiles functions that are called 1,000 times with TurboFan, and none with Maglev. By default, V8 compiles them
 * after 400 calls with Maglev, and after 10,000 (Node.js 24) or 16,000 calls with TurboFan. The allocator keeps the
 * memory of the threads on which Maglev compiles: with it, the proxy used 164 to 186 MB in Node.js 24 after 60,000
 * calls (bench/proxy/memory.mjs), and without it 160 to 163 MB, at 4 to 7 % less CPU time (bench/proxy/builds.mjs).
 */
function limitCompilers(): void {
  if (!WITH_MAGLEV.includes(Number.parseInt(process.versions.node, 10))) return;
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--invocation-count-for-turbofan=1000");
}
