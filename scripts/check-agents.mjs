// Reports whether newer versions of the agents break a cell of the table in docs/agents.md: asks the registry for the
// newest version of each agent, runs its tests with that version and, if any fails, again with the tested version.
//   node scripts/check-agents.mjs [--versions] [--json FILE] [AGENT...]
// --versions lists tested and newest versions and runs no tests. Exits with 1 if a newer version breaks a cell, cannot
// be installed or is not tested.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { failedCells, formatReport, getExitCode, judgeAgent, keepRun, toAgents } from "./agent-matrix.mjs";
import { installProgram, readPrograms, report, root, runAgentTests } from "./agent-programs.mjs";

const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { versions: { type: "boolean", default: false }, json: { type: "string" } },
});
const programs = readPrograms();
const agents = toAgents(programs, wanted).map(([name, program]) => ({
  name,
  tested: program.version,
  newest: newestVersion(program.package),
}));
const folder = mkdtempSync(join(tmpdir(), "sallyport-agents-"));
try {
  const results = flags.versions ? agents.map((agent) => judgeAgent(agent)) : checkAll();
  if (flags.json) writeFileSync(resolve(flags.json), `${JSON.stringify({ agents: results }, null, 2)}\n`);
  process.stdout.write(`${formatReport(results)}\n`);
  process.exitCode = getExitCode(results);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkAll() {
  execFileSync(process.execPath, [resolve(root, "scripts/set-up.mjs")], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  for (const [name, program] of Object.entries(programs)) installProgram(name, program);
  return agents.map((agent) => (agent.newest === agent.tested ? judgeAgent(agent) : check(agent)));
}

/** Runs an agent's tests with its newest version and, if any fails, again with the tested version. */
function check(agent) {
  const program = { ...programs[agent.name], version: agent.newest };
  try {
    installProgram(agent.name, program);
  } catch {
    return judgeAgent(agent, { installs: false });
  }
  const newest = runCells(agent.name, { ...programs, [agent.name]: program });
  const failed = failedCells(newest, agent.newest);
  const tested = failed.length === 0 ? [] : failedCells(runCells(agent.name, programs), agent.tested);
  return judgeAgent(agent, { installs: true, count: newest.length, failed, failedBefore: tested });
}

/** Returns the results of vitest for the tests whose title names the agent. */
function runCells(name, list) {
  report(`Running the tests of ${name} ${list[name].version} …`);
  const listFile = join(folder, "programs.json");
  const results = join(folder, "results.json");
  writeFileSync(listFile, JSON.stringify(list));
  rmSync(results, { force: true });
  const title = `\\b${name} ${list[name].version.replaceAll(".", "\\.")}[ ,:]`;
  const args = ["-t", title, "--reporter=json", `--outputFile=${results}`];
  runAgentTests(args, { SALLYPORT_PROGRAMS: listFile }, ["ignore", 2, 2]);
  const { testResults } = JSON.parse(readFileSync(results, "utf8"));
  return keepRun(testResults.flatMap(({ assertionResults }) => assertionResults));
}

/** Returns the version with the tag `latest` in the registry. */
function newestVersion(from) {
  const args = ["view", from, "dist-tags.latest"];
  return execFileSync("npm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2],
    shell: process.platform === "win32",
  }).trim();
}
