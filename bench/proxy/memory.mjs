// Measures the proxy's memory during many calls; it must not grow after the first tenth.
//   npm run build && node bench/proxy/memory.mjs [--requests 100000] [--background]
// `--background` gives the proxy the environment of `proxy start --detach`.
import { parseArgs } from "node:util";
import { table } from "../report.mjs";
import { makeRequests } from "./exchange.mjs";
import { bodyOf } from "./load.mjs";
import { memoryOf, startSubjects } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: { requests: { type: "string", default: "100000" }, background: { type: "boolean" } },
});
const total = Number(flags.requests);
const environment = flags.background ? { MALLOC_ARENA_MAX: "1" } : {};
const { targets, stop } = await startSubjects({ withRelay: false, environment });
const rows = [];

try {
  const { pid } = targets("json").sallyport;
  const note = (after) => rows.push([after.toLocaleString("en"), memoryOf(pid).toFixed(0)]);
  note(0);
  let done = 0;
  for (const part of [0.1, 0.5, 1]) {
    // Half JSON, half streams.
    const count = Math.round((total * part - done) / 2);
    for (const kind of ["json", "sse"]) {
      const failed = await makeRequests({
        ...targets(kind).sallyport,
        body: bodyOf(900, kind !== "json"),
        count,
        connections: 32,
      });
      if (failed > 0) throw new Error(`${failed} requests failed`);
    }
    done += 2 * count;
    note(done);
  }
} finally {
  await stop();
}
console.log(table(["requests", "memory, MB:"], rows));
