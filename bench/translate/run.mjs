// Measures translation in one run: throughput relative to the native lane and claude-code-router, added latency, CPU
// for every pair of dialects, growth, and memory.
//   npm run build && node bench/translate/run.mjs [--ccr FOLDER] [--short]
//     [--only throughput,latency,pairs,growth,memory]
// Needs wrk, cc and taskset (Debian: wrk, gcc, util-linux). The subject runs alone on CPU 0; load and vendor share CPU
// 1. --ccr is a folder in which `npm i @musistudio/claude-code-router@2.0.0` was run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chatTurn, measureGrowth, measurePairs, removeBundles } from "./cpu.mjs";
import { measureLatency } from "./latency.mjs";
import { measureMemory, startLongStreams } from "./memory.mjs";
import { startAll, stopAll } from "./servers.mjs";
import { measureThroughput } from "./throughput.mjs";

const { values: flags } = parseArgs({
  options: { ccr: { type: "string" }, short: { type: "boolean", default: false }, only: { type: "string" } },
});
const seconds = flags.short ? 2 : 5;
const rounds = flags.short ? 20 : 40;
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));
// Child processes inherit this CPU, except the subjects, which set theirs.
spawnSync("taskset", ["-a", "-cp", "1", String(process.pid)]);
const long = await startLongStreams();

try {
  const servers = await startAll(folder, flags.ccr, { long: `http://127.0.0.1:${long.address().port}` });
  const parts = {
    throughput: ["Throughput", () => measureThroughput(folder, servers, seconds)],
    latency: ["Added latency", () => measureLatency(flags.short ? 60 : 300, chatTurn())],
    pairs: ["CPU for every pair, without sockets", () => measurePairs({ rounds })],
    growth: ["Growth", () => measureGrowth({ rounds })],
    memory: [
      "Memory",
      () => measureMemory(servers.proxy.pid, [5_000, 50_000, flags.short ? 100_000 : 500_000]),
    ],
  };
  console.log(`${cpus()[0]?.model}, ${cpus().length} CPUs, Node ${process.version}, load ${loadavg()[0]}`);
  for (const [name, [title, measure]] of Object.entries(parts)) {
    if (flags.only !== undefined && !flags.only.split(",").includes(name)) continue;
    console.log(`\n### ${title}\n`);
    await measure();
  }
} finally {
  await stopAll();
  long.close();
  removeBundles();
  rmSync(folder, { recursive: true, force: true });
}
