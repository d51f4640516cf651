// Sends traffic for the given time: npm run test:soak -- --minutes 60
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { minutes: { type: "string", default: "5" } } });
if (!(Number(values.minutes) > 0)) throw new Error("--minutes must be a number above 0");
const vitest = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--project", "soak"];
const { status } = spawnSync(process.execPath, vitest, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SOAK_MINUTES: values.minutes },
});
process.exitCode = status ?? 1;
