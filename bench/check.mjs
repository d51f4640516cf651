// Runs the benches, reports ratios that are more than 20 % worse than in bench/ratios.json, and exits with 1 if there
// are any.
//   npm run bench:check [-- --only startup,memory] [-- --portkey FOLDER --ccr FOLDER --difit FOLDER]
// A worse ratio is measured again, and the better of the two counts.
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { regressions, unmeasured } from "./regressions.mjs";
import { runBenches } from "./run-benches.mjs";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    portkey: { type: "string" },
    ccr: { type: "string" },
    difit: { type: "string" },
  },
});
const stored = JSON.parse(readFileSync(resolve(import.meta.dirname, "ratios.json"), "utf8"));
const { only, ...peers } = flags;
const first = await runBenches({ only: only?.split(",") ?? Object.keys(stored), short: true, peers });
const suspects = [...new Set(regressions(first, stored).map(({ id }) => id))];
const second = suspects.length > 0 ? await runBenches({ only: suspects, short: true, peers }) : [];
const worse = regressions([...first, ...second], stored);
const failed = first.filter((result) => result.failed);

for (const { title, name, before, now, lower } of worse) {
  const percent = Math.round(Math.abs(now / before - 1) * 100);
  const direction = lower ? "above" : "below";
  console.log(`${title}: ${name}: ${figure(now)}, ${percent} % ${direction} the stored ${figure(before)}`);
}
for (const { title, failed: reason } of failed) console.log(`${title}: not measured, ${reason}`);
const missing = unmeasured(first, stored);
for (const name of missing) console.log(`${name}: stored, but not measured`);
const complaints = worse.length + failed.length + missing.length;
if (complaints === 0) console.log("No ratio is more than 20 % worse than the stored one.");
const [load] = loadavg();
if (load > availableParallelism())
  console.log(
    `The machine is busy (load ${load.toFixed(1)}): repeat on a quiet machine before you rely on regressions.`,
  );
process.exitCode = complaints > 0 ? 1 : 0;

/** Formats a ratio with three significant digits, because some are hundredths. */
function figure(ratio) {
  return ratio.toPrecision(3);
}
