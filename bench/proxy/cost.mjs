// What a call costs beside the floor: CPU time of the process per request, in many short turns one after the other, so
// that it tells something on a busy machine too. Then what counting the tokens of 180 kB costs where no upstream does it.
//   npm run build && node bench/proxy/cost.mjs [--rounds 21] [--requests 1500] [--connections 32] [--only SSE]
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { makeRequests } from "./exchange.mjs";
import { bodyOf } from "./load.mjs";
import { cpuOf, memoryOf, startSubjects } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    requests: { type: "string", default: "1500" },
    connections: { type: "string", default: "32" },
    only: { type: "string", default: "" },
  },
});
const cases = [
  ["JSON 1 kB", 900, false],
  ["JSON 180 kB in", 180_000, false],
  ["SSE 50 events", 900, true],
];
const WARM = 10_000;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
// Load and mock off the core of the subjects: on it they would be woken for less, and not for all alike.
spawnSync("taskset", ["-pc", "1", String(process.pid)]);
const { targets, stop } = await startSubjects();

/** Microseconds a request. */
async function costOf(target, body, count) {
  const before = cpuOf(target.pid);
  const failed = await makeRequests({ ...target, body, count, connections: Number(flags.connections) });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return (cpuOf(target.pid) - before) / count;
}

try {
  for (const [name, bytes, isStream] of cases.filter(([name]) => name.includes(flags.only))) {
    const { floor, sallyport } = targets(isStream);
    const body = bodyOf(bytes, isStream);
    const turns = [];
    // Otherwise the first turns would measure the compiler.
    for (const target of [floor, sallyport]) await costOf(target, body, WARM);
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      const cost = await costOf(floor, body, Number(flags.requests));
      turns.push({ floor: cost, ours: await costOf(sallyport, body, Number(flags.requests)) });
    }
    const of = (pick) => median(turns.map(pick));
    console.log(
      `${name}: floor ${of((turn) => turn.floor).toFixed(1)} µs, sallyport ${of((turn) => turn.ours).toFixed(1)} µs, ` +
        `ratio ${of((turn) => turn.floor / turn.ours).toFixed(2)}; ${memoryOf(sallyport.pid).toFixed(0)} MB`,
    );
  }
  if ("count_tokens 180 kB".includes(flags.only)) {
    const { sallyport } = targets(false);
    const count = { ...sallyport, url: new URL("/v1/messages/count_tokens", sallyport.url).href };
    const body = bodyOf(180_000, false);
    await costOf(count, body, 200);
    const turns = [];
    for (let round = 0; round < Number(flags.rounds); round += 1) turns.push(await costOf(count, body, 50));
    console.log(`count_tokens 180 kB: ${(median(turns) / 1_000).toFixed(2)} ms (target: under 5)`);
  }
} finally {
  await stop();
}
