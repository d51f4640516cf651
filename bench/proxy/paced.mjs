// Measures added latency and time to first byte at a fixed rate, then the cost of paced streams, and memory over many
// calls. Each round measures the mock and then the proxies, so that all have the same conditions.
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { makeRequests, openConnection, requestBytes } from "./exchange.mjs";
import { bodyOf } from "./load.mjs";
import { events } from "./mock.mjs";
import { cpuOf, memoryOf } from "./subjects.mjs";

const CONNECTIONS = 16;
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/**
 * Starts `rate` requests per second at fixed times for `seconds`. Returns the microseconds from these times to the
 * first and the last byte. They include the delay of a request that starts late because all connections are busy.
 */
async function pace({ url, headers }, { body, rate, seconds }) {
  const bytes = requestBytes(url, body, headers);
  const idle = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(url)));
  const all = [...idle];
  const due = [];
  const first = [];
  const whole = [];
  const total = rate * seconds;
  const began = performance.now();
  let planned = 0;
  await new Promise((resolve) => {
    const begin = () => {
      while (due.length > 0 && idle.length > 0) {
        const moment = due.shift();
        const connection = idle.pop();
        connection.send(bytes, (status, firstByteAt) => {
          if (status !== 200) throw new Error(`a response has status ${status}`);
          first.push((firstByteAt - moment) * 1000);
          whole.push((performance.now() - moment) * 1000);
          idle.push(connection);
          if (whole.length === total) resolve();
          else begin();
        });
      }
    };
    // Timers are too coarse for 1,000 requests per second, so the loop polls the clock.
    const tick = () => {
      const now = performance.now();
      for (; planned < total && began + (planned * 1000) / rate <= now; planned += 1)
        due.push(began + (planned * 1000) / rate);
      begin();
      if (planned < total) setImmediate(tick);
    };
    tick();
  });
  for (const connection of all) connection.close();
  return { first, whole };
}

/**
 * Sets the priority of the load generator to idle, or back to normal. The generator never sleeps and shares the mock's
 * core; at equal priority it would delay the mock by up to 2 ms (p99), which would be attributed to the proxies.
 */
function giveWay(isGivingWay) {
  const policy = isGivingWay ? "--idle" : "--other";
  const { status } = spawnSync("chrt", [policy, "--all-tasks", "--pid", "0", String(process.pid)]);
  if (status !== 0) throw new Error(`chrt ${policy} failed`);
}

/** Runs `pace`, with the floor's busy loop if `isBusyLooping` is set. */
async function paceOf({ isBusyLooping, ...target }, plan) {
  if (isBusyLooping) process.kill(target.pid, "SIGUSR2");
  const times = await pace(target, plan);
  if (isBusyLooping) process.kill(target.pid, "SIGUSR2");
  return times;
}

/** Calls per second. A stream is 50 writes of the mock, so its rate is lower. */
const RATES = { json: 1_000, sse: 200 };

/** Prints a table of what each subject adds to `direct`, in microseconds: medians over the rounds. */
export async function measurePaced(targets, { seconds, rounds }) {
  console.log(
    `\n${RATES.json} JSON responses or ${RATES.sse} streams a second, ${rounds} × ${seconds} s, added to the time of the mock alone:\n`,
  );
  console.log("| case | subject | p50 µs | p99 µs | first byte p50 µs |");
  console.log("|---|---|---|---|---|");
  giveWay(true);
  for (const [name, kind] of [
    ["JSON 1 kB", "json"],
    ["SSE 50 events", "sse"],
  ]) {
    const { direct, nginx, floor, sallyport } = targets(kind);
    // The floor with a busy loop shows the share of wake-ups.
    const subjects = {
      direct,
      nginx,
      floor,
      "floor, kept awake": { ...floor, isBusyLooping: true },
      sallyport,
    };
    const body = bodyOf(900, kind !== "json");
    const added = Object.fromEntries(Object.keys(subjects).map((subject) => [subject, []]));
    for (const target of Object.values(subjects))
      await paceOf(target, { body, rate: RATES[kind], seconds: 1 });
    for (let round = 0; round < rounds; round += 1) {
      let base;
      for (const [subject, target] of Object.entries(subjects)) {
        const { first, whole } = await paceOf(target, { body, rate: RATES[kind], seconds });
        const row = [quantile(whole, 0.5), quantile(whole, 0.99), quantile(first, 0.5)];
        base ??= row;
        added[subject].push(subject === "direct" ? row : row.map((value, index) => value - base[index]));
      }
    }
    for (const [subject, rows] of Object.entries(added)) {
      const [p50, p99, firstByte] = [0, 1, 2].map((index) =>
        quantile(
          rows.map((row) => row[index]),
          0.5,
        ),
      );
      const sign = subject === "direct" ? "" : "+";
      console.log(
        `| ${name} | ${subject} | ${[p50, p99, firstByte].map((value) => (value >= 0 ? sign : "") + value.toFixed(0)).join(" | ")} |`,
      );
    }
  }
  giveWay(false);
}

/** Concurrent streams at the pace of a model, and events per second of each. */
const LIVE = { streams: 256, pace: 50 };

/** Prints the cost of one separately written event: medians over the rounds. */
export async function measureLive(targets, rounds) {
  const { direct: _, ...subjects } = targets("live");
  const body = bodyOf(900, true);
  const costs = Object.fromEntries(Object.keys(subjects).map((subject) => [subject, []]));
  // One additional round for warm-up.
  for (let round = -1; round < rounds; round += 1) {
    for (const [subject, target] of Object.entries(subjects)) {
      const before = cpuOf(target.pid);
      const failed = await makeRequests({ ...target, body, count: LIVE.streams, connections: LIVE.streams });
      if (failed > 0) throw new Error(`${subject}: ${failed} streams failed`);
      if (round >= 0) costs[subject].push((cpuOf(target.pid) - before) / (LIVE.streams * events.length));
    }
  }
  console.log(`\n${LIVE.streams} streams at a time, ${LIVE.pace} events a second each:\n`);
  console.log("| subject | CPU µs/event | of a core | of the floor |");
  console.log("|---|---|---|---|");
  for (const subject of Object.keys(subjects)) {
    const [cost, least] = [subject, "floor"].map((name) => quantile(costs[name], 0.5));
    const share = (cost * LIVE.streams * LIVE.pace) / 10_000;
    console.log(`| ${subject} | ${cost.toFixed(1)} | ${share.toFixed(0)} % | ${(least / cost).toFixed(2)} |`);
  }
}

/** Prints the proxy's memory over many calls, half of them streams. */
export async function measureMemory(targets, requests) {
  const pid = targets("json").sallyport.pid;
  const seen = [];
  const step = requests / 5;
  for (let done = 0; done < requests; done += step) {
    for (const kind of ["json", "sse"]) {
      const failed = await makeRequests({
        ...targets(kind).sallyport,
        body: bodyOf(900, kind !== "json"),
        count: step / 2,
        connections: 32,
      });
      if (failed > 0) throw new Error(`${failed} requests failed`);
    }
    seen.push(memoryOf(pid).toFixed(0));
  }
  await delay(1_000);
  console.log(
    `\nMemory of the proxy over ${requests.toLocaleString("en")} calls: ${seen.join(", ")} MB; a second later ${memoryOf(pid).toFixed(0)} MB`,
  );
}
