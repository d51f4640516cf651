// Tests with real agents: installs each in its pinned version and runs test/agents-live, if possible with network
// access to loopback only. Arguments go to vitest. SALLYPORT_AGENTS names another folder for the programs.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { installProgram, readPrograms, report, root, runAgentTests } from "./agent-programs.mjs";

const programs = readPrograms();
execFileSync(process.execPath, [resolve(root, "scripts/set-up.mjs")], { cwd: root, stdio: ["ignore", 2, 2] });
for (const [name, wanted] of Object.entries(programs)) installProgram(name, wanted);
process.exitCode = runAgentTests(process.argv.slice(2));
// With arguments, only some of the tests ran.
if (process.exitCode === 0 && process.argv.length === 2) {
  report("\nTested:");
  for (const [name, { package: from, version }] of Object.entries(programs))
    report(`  ${name}: ${from} ${version}`);
}
