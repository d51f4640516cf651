// Compares the native lane of several builds by CPU time per request. One process can use 30 % more than another process
// of the same build, so all are started several times, and each start takes turns of a second.
//   npm run build && node bench/proxy/builds.mjs --build 0.1=FILE --build today=dist/sallyport.js --plain today
// `--plain NAME` adds the build of that name without a database. [--starts 3] [--rounds 5] [--only "1 kB × 32"]
// Needs wrk, cc, taskset and chrt, as run.mjs does.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { machine, median, table } from "../report.mjs";
import { bodyOf, CASES, load } from "./load.mjs";
import { cpuOf, startSubjects } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: {
    build: { type: "string", multiple: true, default: ["sallyport=dist/sallyport.js"] },
    plain: { type: "string" },
    starts: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  },
});
const builds = Object.fromEntries(flags.build.map((pair) => pair.split("=")));
const plain = `${flags.plain}, no database`;
if (flags.plain !== undefined) builds[plain] = builds[flags.plain];
const cases = CASES.map(([name, bytes, kind, connections]) => ({
  name: `${name} × ${connections}`,
  bytes,
  kind,
  connections,
})).filter(({ name }) => name.includes(flags.only));
const subjects = ["floor", ...Object.keys(builds)];
/** Microseconds of CPU per request of each turn, by case and subject. */
const costs = Object.fromEntries(cases.map(({ name }) => [name, {}]));
// Keeps load and mock off the subjects' core.
spawnSync("taskset", ["-pc", "1", String(process.pid)]);

for (let start = 0; start < Number(flags.starts); start += 1) {
  const order = start % 2 === 0 ? Object.entries(builds) : Object.entries(builds).reverse();
  const started = await startSubjects({
    builds: Object.fromEntries(order),
    settings: { [plain]: { database: "none" } },
    withRelay: false,
  });
  try {
    for (const each of cases) measure(each, started);
  } finally {
    await started.stop();
  }
}

/** Measures a case at all subjects, in turns. */
function measure({ name, bytes, kind, connections }, { folder, targets }) {
  const all = targets(kind);
  const run = (subject) =>
    load({ folder, cpu: 1, connections, seconds: 1, body: bodyOf(bytes, kind !== "json"), ...all[subject] });
  // Warm-up, so that the first turns do not measure the JIT compiler.
  for (const subject of [...subjects, ...subjects]) run(subject);
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const before = cpuOf(all[subject].pid);
      const { requests, failed } = run(subject);
      if (failed > 0) throw new Error(`${subject}: ${failed} requests failed`);
      costs[name][subject] ??= [];
      costs[name][subject].push((cpuOf(all[subject].pid) - before) / requests);
    }
}

const rows = cases.flatMap(({ name }) =>
  subjects.map((subject) => {
    const { floor, [subject]: own } = costs[name];
    const [least, middle] = [Math.min(...own), median(own)];
    const ratios = [Math.min(...floor) / least, median(floor) / middle].map((ratio) => ratio.toFixed(2));
    return [name, subject, least.toFixed(1), middle.toFixed(1), ...ratios];
  }),
);
console.log(`${machine()}\n`);
console.log(
  table(["case", "subject", "least µs:", "median µs:", "floor by it, least:", "floor by it, median:"], rows),
);
