// Measures CPU time per request relative to the floor, in many short alternating turns, which also works on a busy
// machine. Then the cost of estimating the tokens of a 180 kB request.
//   npm run build && node bench/proxy/cost.mjs [--rounds 21] [--requests 1500] [--connections 32] [--only SSE]
//   node bench/proxy/cost.mjs --build before=FILE --build after=dist/sallyport.js    compares builds
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { median } from "../report.mjs";
import { makeRequests } from "./exchange.mjs";
import { bodyOf } from "./load.mjs";
import { cpuOf, memoryOf, startSubjects } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    requests: { type: "string", default: "1500" },
    connections: { type: "string", default: "32" },
    only: { type: "string", default: "" },
    build: { type: "string", multiple: true, default: ["sallyport=dist/sallyport.js"] },
  },
});
const [requests, connections] = [Number(flags.requests), Number(flags.connections)];
const builds = Object.fromEntries(flags.build.map((pair) => pair.split("=")));
const cases = [
  { name: "JSON 1 kB", bytes: 900, kind: "json", warm: 10_000, turn: { count: requests, connections } },
  {
    name: "JSON 180 kB in",
    bytes: 180_000,
    kind: "json",
    warm: 3_000,
    turn: { count: requests / 3, connections },
  },
  { name: "SSE 50 events", bytes: 900, kind: "sse", warm: 5_000, turn: { count: requests / 2, connections } },
  // Each stream takes a second, because its events are paced, so all run concurrently.
  {
    name: "SSE 50 events a second",
    bytes: 900,
    kind: "live",
    warm: 256,
    turn: { count: 256, connections: 256 },
  },
];
// Keeps load and mock off the subjects' core, where wake-ups would distort the comparison.
spawnSync("taskset", ["-pc", "1", String(process.pid)]);
const { targets, stop } = await startSubjects({ builds, withRelay: false });

/** Returns microseconds of CPU per request. */
async function costOf(target, body, turn) {
  const before = cpuOf(target.pid);
  const failed = await makeRequests({ ...target, body, ...turn });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return (cpuOf(target.pid) - before) / turn.count;
}

try {
  for (const { name, bytes, kind, warm, turn } of cases.filter((each) => each.name.includes(flags.only))) {
    const all = targets(kind);
    const names = ["floor", ...Object.keys(builds)];
    const body = bodyOf(bytes, kind !== "json");
    const turns = [];
    // Warm-up, so that the first turns do not measure the JIT compiler.
    for (const subject of names) await costOf(all[subject], body, { ...turn, count: warm });
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      const costs = {};
      for (const subject of names) costs[subject] = await costOf(all[subject], body, turn);
      turns.push(costs);
    }
    const of = (pick) => median(turns.map(pick));
    for (const subject of Object.keys(builds))
      console.log(
        `${name}: floor ${of(({ floor }) => floor).toFixed(1)} µs, ${subject} ${of((costs) => costs[subject]).toFixed(1)} µs, ` +
          `ratio ${of((costs) => costs.floor / costs[subject]).toFixed(2)}; ${memoryOf(all[subject].pid).toFixed(0)} MB`,
      );
  }
  if ("count_tokens 180 kB".includes(flags.only)) {
    const subject = targets("json")[Object.keys(builds).at(-1)];
    const count = { ...subject, url: new URL("/v1/messages/count_tokens", subject.url).href };
    const body = bodyOf(180_000, false);
    await costOf(count, body, { count: 200, connections });
    const turns = [];
    for (let round = 0; round < Number(flags.rounds); round += 1)
      turns.push(await costOf(count, body, { count: 50, connections }));
    console.log(`count_tokens 180 kB: ${(median(turns) / 1_000).toFixed(2)} ms (target: under 5)`);
  }
} finally {
  await stop();
}
