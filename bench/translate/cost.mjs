// Measures CPU time per translated call relative to the native lane, in many short alternating turns, which also works
// on a busy machine, and for several builds in one run.
//   npm run build && node bench/translate/cost.mjs [--rounds 21] [--only stream]
//     [--build before=FILE --build after=dist/sallyport.js]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeRequests } from "../proxy/exchange.mjs";
import { cpuOf } from "../proxy/subjects.mjs";
import { agentTurn } from "./conversation.mjs";
import { headers, startOurs, startVendor, stopAll } from "./servers.mjs";

const { values: flags } = parseArgs({
  options: {
    build: { type: "string", multiple: true, default: ["sallyport=dist/sallyport.js"] },
    rounds: { type: "string", default: "21" },
    only: { type: "string", default: "" },
  },
});
/** Name, the vendor's kind of response (`x-bench`), request bytes, connections, requests per turn, warm-up requests. */
const cases = [
  ["JSON, small", "json", 500, 16, 800, 10_000],
  ["stream of 50 events at once, small", "sse", 500, 16, 500, 5_000],
  ["stream of an event each 20 ms, small", "live", 500, 256, 256, 256],
  ["stream of 50 events at once, 180 kB in", "sse", 180_000, 1, 40, 2_000],
];
/** Returns the lower quartile, which depends least on other load. */
const quarter = (values) => values.toSorted((a, b) => a - b)[values.length >> 2];
spawnSync("taskset", ["-a", "-cp", "1", String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));

/** Returns the same request for each lane; a large one only for the translation lane. */
function lanes(kind, bytes) {
  const turn = agentTurn(bytes, kind !== "json");
  const translated = { path: "/v1/messages", body: JSON.stringify(turn) };
  const chat = { model: "bench", stream: turn.stream, messages: turn.messages };
  return bytes > 2_000
    ? { translated }
    : { native: { path: "/v1/chat/completions", body: JSON.stringify(chat) }, translated };
}

/** Returns microseconds of CPU per request. */
async function costOf({ port, pid }, kind, { path, body }, connections, count) {
  const before = cpuOf(pid);
  const url = `http://127.0.0.1:${port}${path}`;
  const failed = await makeRequests({ url, headers: headers(kind), body, count, connections });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return (cpuOf(pid) - before) / count;
}

try {
  const urls = await startVendor(folder);
  const builds = [];
  for (const [index, pair] of flags.build.entries()) {
    const [build, command] = pair.split("=");
    const port = 18_930 + index;
    const { pid } = await startOurs(join(folder, String(index)), urls, resolve(command), port);
    builds.push({ build, port, pid });
  }
  console.log(`| case | build | native, µs | translated, µs | ratio |\n|---|---|---:|---:|---:|`);
  for (const [name, kind, bytes, connections, count, warm] of cases.filter(([name]) =>
    name.includes(flags.only),
  )) {
    const asked = Object.entries(lanes(kind, bytes));
    const samples = builds.map(() => ({ native: [], translated: [] }));
    for (let round = -1; round < Number(flags.rounds); round += 1) {
      for (const [index, build] of builds.entries()) {
        for (const [lane, what] of asked) {
          // Warm-up, so that the first turns do not measure the JIT compiler.
          const spent = await costOf(build, kind, what, connections, round < 0 ? warm : count);
          if (round >= 0) samples[index][lane].push(spent);
        }
      }
    }
    for (const [index, { build }] of builds.entries()) {
      const [native, translated] = [quarter(samples[index].native), quarter(samples[index].translated)];
      const beside =
        native === undefined ? ["–", "–"] : [native.toFixed(1), (translated / native).toFixed(2)];
      console.log(`| ${name} | ${build} | ${beside[0]} | ${translated.toFixed(1)} | ${beside[1]} |`);
    }
  }
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}
