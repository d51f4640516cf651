import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomFrom, SEED } from "../support/random.ts";
import { DIALECTS } from "../support/vendor-responses.ts";
import { callMcp, type Finding, hangUp, makeCall, randomCall, type Times } from "./support/calls.ts";
import { type Holding, type ProxyUnderTest, startProxyUnderTest } from "./support/proxy-under-test.ts";
import { startVendor, type Vendor } from "./support/vendor.ts";

/** `npm run test:soak -- --minutes N` */
const MINUTES = Number(process.env["SOAK_MINUTES"] ?? 5);
const CROWD = 200;
const CALLERS = 16;
const ROUND_MS = 8_000;
const FEWEST_ROUNDS = 6;
/** The first third of the rounds is warm-up: code is compiled, and bounded caches are filled. */
const WARM_UP = 1 / 3;
/** The permitted growth: a constant in bytes, and an amount for each call. A leak retains kilobytes for each call. */
const ROOM = { once: 4 * 1024 * 1024, eachCall: 100 };

/** The counts of the whole run. */
const seen = {
  findings: [] as string[],
  calls: 0,
  crowdCalls: 0,
  mcpCalls: 0,
  rounds: [] as (Holding & { readonly calls: number })[],
  times: { firstByte: [], total: [] } as Times,
};

let folder: string;
let vendor: Vendor;
let proxy: ProxyUnderTest;
let before: Holding;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sallyport-soak-"));
  vendor = await startVendor();
  proxy = await startProxyUnderTest(folder, vendor.url);
  before = await proxy.probe();
  const random = randomFrom(SEED);
  const endsAt = performance.now() + MINUTES * 60_000;
  while (performance.now() < endsAt || seen.rounds.length < FEWEST_ROUNDS) {
    await crowd();
    await mixedTraffic(random);
    await until(() => vendor.open() === 0);
    seen.rounds.push({ ...(await proxy.probe()), calls: seen.calls });
  }
  report();
});
afterAll(async () => {
  await proxy.stop();
  await vendor.close();
  await rm(folder, { recursive: true, force: true });
});

describe(`${MINUTES} minutes of traffic over all pairs of dialects (SEED=${SEED})`, () => {
  it("brought every good answer whole and in order, and no failure that looks like an end", () => {
    expect(seen.findings).toEqual([]);
    expect(seen.mcpCalls).toBeGreaterThan(0);
  });

  it(`held ${CROWD} streams open at once, again and again`, () => {
    expect(seen.crowdCalls).toBe(seen.rounds.length * CROWD);
  });

  it("left no memory behind", () => {
    const first = Math.floor(seen.rounds.length * WARM_UP);
    const measured = seen.rounds.slice(first);
    const third = Math.ceil(measured.length / 3);
    const [early, late] = [measured.slice(0, third), measured.slice(-third)].map((rounds) =>
      Math.min(...rounds.map(({ heapUsed }) => heapUsed)),
    );
    const calls = (measured.at(-1)?.calls ?? 0) - (measured[0]?.calls ?? 0);
    expect((late ?? 0) - (early ?? 0)).toBeLessThan(ROOM.once + ROOM.eachCall * calls);
  });

  it("left no socket and no file open once its clients had hung up", async () => {
    await hangUp();
    for (
      let now = await proxy.probe();
      now.sockets > 0 || now.files > before.files;
      now = await proxy.probe()
    )
      await new Promise((resolve) => setTimeout(resolve, 200));
  });

  it("left a proxy that answers, and ends when it is told to", async () => {
    expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
    expect(await proxy.stop()).toBe(0);
  });
});

/** Concurrent streams, as many as a large office would need, over every pair of dialects. */
async function crowd(): Promise<void> {
  const calls = Array.from({ length: CROWD }, (_, at) => ({
    client: DIALECTS[at % DIALECTS.length] ?? "messages",
    upstream: DIALECTS[Math.floor(at / DIALECTS.length) % DIALECTS.length] ?? "messages",
    isStream: true,
    order: { kind: "good" as const, pieces: 100, id: `crowd${(seen.calls + at).toString(36)}` },
  }));
  await Promise.all(calls.map(async (call) => note(await makeCall(proxy.url, call, seen.times))));
  seen.crowdCalls += CROWD;
}

async function mixedTraffic(random: () => number): Promise<void> {
  const endsAt = performance.now() + ROUND_MS;
  const caller = async () => {
    while (performance.now() < endsAt) {
      if (random() < 0.1) {
        seen.mcpCalls += 1;
        note(await callMcp(proxy.url, seen.calls));
      } else note(await makeCall(proxy.url, randomCall(random, seen.calls), seen.times));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function note(finding: Finding): void {
  seen.calls += 1;
  // The first few problems are enough.
  if (finding !== undefined && seen.findings.length < 20) seen.findings.push(finding);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function report(): void {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  const { firstByte, total } = seen.times;
  const [firstRound, lastRound] = [seen.rounds[Math.floor(seen.rounds.length * WARM_UP)], seen.rounds.at(-1)];
  const lines = [
    `${seen.calls} calls in ${seen.rounds.length} rounds, ${seen.crowdCalls} of them ${CROWD} at once, ${seen.mcpCalls} MCP`,
    `first byte: median ${percentile(firstByte, 0.5)} ms, p99 ${percentile(firstByte, 0.99)} ms`,
    `whole answer: median ${percentile(total, 0.5)} ms, p99 ${percentile(total, 0.99)} ms`,
    `heap in use: ${megabytes(before.heapUsed)} MB at the start, ${megabytes(firstRound?.heapUsed ?? 0)} MB warm, ${megabytes(lastRound?.heapUsed ?? 0)} MB at the end`,
    `resident: ${megabytes(before.rss)} MB at the start, ${megabytes(lastRound?.rss ?? 0)} MB at the end`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function percentile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((one, two) => one - two);
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
}
