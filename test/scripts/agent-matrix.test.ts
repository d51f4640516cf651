import { describe, expect, it } from "vitest";
import {
  failedCells,
  formatReport,
  getExitCode,
  judgeAgent,
  keepRun,
  toAgents,
} from "../../scripts/agent-matrix.mjs";

const acme = { name: "acme", tested: "1.0.0", newest: "1.1.0" };
const cell = (title: string, version: string, status: string) => ({
  fullName: `acme acme ${version}: ${title}`,
  status,
});

describe("the check for newer versions of agents", () => {
  it("leaves out earlier versions and programs that are no agents", () => {
    const programs = { acme: 1, "acme-earlier": 2, node22: 3, conformance: 4 };
    expect(toAgents(programs)).toEqual([["acme", 1]]);
    expect(() => toAgents(programs, ["nobody"])).toThrow("Unknown agent: nobody");
  });

  it("names a cell that only the newer version breaks", () => {
    const failed = failedCells(
      [cell("a denial", "1.1.0", "failed"), cell("an approval", "1.1.0", "passed")],
      "1.1.0",
    );
    const result = judgeAgent(acme, { installs: true, count: 2, failed, failedBefore: [] });
    expect(result).toMatchObject({ state: "broken", broken: ["acme acme: a denial"] });
    expect(formatReport([result])).toBe(
      "acme 1.0.0: 1.1.0 breaks 1 of 2 cells\n  broken: acme acme: a denial",
    );
    expect(getExitCode([result])).toBe(1);
  });

  it("does not blame the newer version for a cell that fails with the tested one too", () => {
    const failed = failedCells([cell("a denial", "1.1.0", "failed")], "1.1.0");
    const failedBefore = failedCells([cell("a denial", "1.0.0", "failed")], "1.0.0");
    const result = judgeAgent(acme, { installs: true, count: 1, failed, failedBefore });
    expect(result).toMatchObject({ state: "works", failing: ["acme acme: a denial"] });
    expect(formatReport([result])).toContain("fails with both versions: acme acme: a denial");
  });

  it("counts only the tests that ran, not those that the filter skipped", () => {
    const results = ["passed", "failed", "skipped", "pending"].map((status) =>
      cell("a denial", "1.1.0", status),
    );
    expect(keepRun(results)).toEqual(results.slice(0, 2));
  });

  it("fails for a version that cannot be installed, and for one that no test ran with", () => {
    const absent = judgeAgent(acme, { installs: false });
    const untested = judgeAgent(acme, { installs: true, count: 0, failed: [], failedBefore: [] });
    expect([absent.state, untested.state]).toEqual(["not installable", "not tested"]);
    expect([getExitCode([absent]), getExitCode([untested])]).toEqual([1, 1]);
  });

  it("is content with the newest version, and with one that passes every cell", () => {
    const current = judgeAgent({ ...acme, newest: "1.0.0" });
    const passing = judgeAgent(acme, { installs: true, count: 9, failed: [], failedBefore: [] });
    expect(formatReport([current, passing])).toBe(
      "acme 1.0.0: is the newest\nacme 1.0.0: 1.1.0 breaks none of 9 cells",
    );
    expect(getExitCode([current, passing])).toBe(0);
  });
});
