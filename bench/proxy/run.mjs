// Native lane: requests per second, added latency and memory, compared with nginx, the floor and Portkey in one run.
//   npm run build && node bench/proxy/run.mjs [--portkey FOLDER] [--short] [--seconds 3] [--rounds 2] [--only "JSON"]
// Needs nginx, wrk, cc, taskset and chrt (Debian: nginx-light, wrk, gcc, util-linux). The proxy under test runs alone
// on CPU 0, load and mock share CPU 1. --portkey is a folder in which `npm i @portkey-ai/gateway@1.15.2` was run.
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { bodyOf, CASES, load } from "./load.mjs";
import { measureLive, measureMemory, measurePaced } from "./paced.mjs";
import { cpuOf, startSubjects } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: {
    seconds: { type: "string" },
    rounds: { type: "string" },
    /** 2 minutes instead of 15, with less exact figures. */
    short: { type: "boolean", default: false },
    portkey: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(flags.seconds ?? (flags.short ? 1 : 3));
const rounds = Number(flags.rounds ?? (flags.short ? 1 : 2));
// This process and the mock stay off the core of the proxy under test.
spawnSync("taskset", ["-pc", "1", String(process.pid)]);
const { folder, targets, stop } = await startSubjects({ portkey: flags.portkey });
const fixed = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));

try {
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} CPUs, Node ${process.version}; one core for the proxy; best of ${rounds} × ${seconds} s\n`,
  );
  console.log(
    "| case | connections | subject | requests/s | of the floor | p50 µs | p99 µs | CPU µs/request | of the floor, by CPU |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  // Warm-up, so that the first slices do not measure the JIT compiler.
  for (const kind of ["json", "sse"])
    for (const target of Object.values(targets(kind)).filter(({ pid }) => pid))
      load({ folder, cpu: 1, connections: 32, seconds: 3, body: bodyOf(900, kind !== "json"), ...target });
  for (const [name, bytes, kind, connections] of CASES) {
    if (!`${name} ${connections}`.includes(flags.only)) continue;
    const body = bodyOf(bytes, kind !== "json");
    const best = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const [subject, target] of Object.entries(targets(kind))) {
        load({ folder, cpu: 1, connections, seconds: 1, body, ...target });
        const before = target.pid ? cpuOf(target.pid) : 0;
        const slice = load({ folder, cpu: 1, connections, seconds, body, ...target });
        slice.cpu = target.pid ? (cpuOf(target.pid) - before) / slice.requests : Number.NaN;
        if (slice.failed > 0 || slice.broken)
          console.error(`${subject}: ${slice.failed} failed, ${slice.broken ?? "none broken"}`);
        const known = best[subject];
        if (!known) best[subject] = slice;
        else
          Object.assign(known, {
            rate: Math.max(known.rate, slice.rate),
            p50: Math.min(known.p50, slice.p50),
            p99: Math.min(known.p99, slice.p99),
            cpu: Math.min(known.cpu, slice.cpu),
          });
      }
    }
    for (const [subject, slice] of Object.entries(best)) {
      if (slice.failed > 0) {
        console.log(
          `| ${name} | ${connections} | ${subject} | its responses were errors | – | – | – | – | – |`,
        );
        continue;
      }
      const ofFloor = Number.isNaN(slice.cpu) ? "–" : (best.floor.cpu / slice.cpu).toFixed(2);
      const cost = Number.isNaN(slice.cpu) ? "–" : fixed(slice.cpu);
      console.log(
        `| ${name} | ${connections} | ${subject} | ${fixed(slice.rate)} | ${(slice.rate / best.floor.rate).toFixed(2)} | ${fixed(slice.p50)} | ${fixed(slice.p99)} | ${cost} | ${ofFloor} |`,
      );
    }
  }
  await measurePaced(targets, { seconds: flags.short ? 2 : 5, rounds: flags.short ? 1 : 5 });
  await measureLive(targets, flags.short ? 1 : 3);
  await measureMemory(targets, flags.short ? 20_000 : 100_000);
} finally {
  await stop();
}
