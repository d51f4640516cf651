// Evaluates the test results of newer versions of agents, for scripts/check-agents.mjs.

/** Returns the agents in their newest tested version: all of them, or those with the given names. */
export function toAgents(programs, wanted = []) {
  const agents = Object.entries(programs).filter(
    ([name]) => !name.endsWith("-earlier") && !["node22", "conformance", "claude-agent-sdk"].includes(name),
  );
  const unknown = wanted.filter((name) => !agents.some(([each]) => each === name));
  if (unknown.length > 0) throw new Error(`Unknown agent: ${unknown.join(", ")}`);
  return wanted.length === 0 ? agents : agents.filter(([name]) => wanted.includes(name));
}

/** Returns the results of the tests that ran. vitest's JSON report also contains the tests that its filter skipped. */
export function keepRun(results) {
  return results.filter(({ status }) => status === "passed" || status === "failed");
}

/** Returns the titles of failed tests without the version, from vitest's JSON report. */
export function failedCells(results, version) {
  return results
    .filter(({ status }) => status === "failed")
    .map(({ fullName }) => fullName.replaceAll(` ${version}`, ""));
}

/** Returns the result of an agent: whether a newer version exists, and the cells that it breaks. */
export function judgeAgent({ name, tested, newest }, run) {
  if (tested === newest) return { name, tested, newest, state: "current" };
  if (!run) return { name, tested, newest, state: "newer" };
  if (!run.installs) return { name, tested, newest, state: "not installable" };
  const broken = run.failed.filter((cell) => !run.failedBefore.includes(cell));
  const failing = run.failed.filter((cell) => run.failedBefore.includes(cell));
  const state = broken.length > 0 ? "broken" : run.count === 0 ? "not tested" : "works";
  return { name, tested, newest, state, cells: run.count, broken, failing };
}

/** Returns 1 if a newer version breaks a cell or cannot be tested, otherwise 0. */
export function getExitCode(results) {
  return results.some(({ state }) => ["broken", "not installable", "not tested"].includes(state)) ? 1 : 0;
}

const STATES = {
  current: () => "is the newest",
  newer: ({ newest }) => `is older than ${newest}`,
  "not installable": ({ newest }) => `${newest} cannot be installed`,
  "not tested": ({ newest }) => `no test ran with ${newest}`,
  works: ({ newest, cells }) => `${newest} breaks none of ${cells} cells`,
  broken: ({ newest, cells, broken }) => `${newest} breaks ${broken.length} of ${cells} cells`,
};

/** Returns the report: a line for each agent, and below it the cells that fail. */
export function formatReport(results) {
  return results
    .flatMap((result) => [
      `${result.name} ${result.tested}: ${STATES[result.state](result)}`,
      ...(result.broken ?? []).map((cell) => `  broken: ${cell}`),
      ...(result.failing ?? []).map((cell) => `  fails with both versions: ${cell}`),
    ])
    .join("\n");
}
