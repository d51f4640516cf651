import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
let home = "";

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "gateway-commands-"));
  const api_keys = [{ name: "ci", sha256: "0".repeat(64), team: "build", limits: { rpm: 5 } }];
  writeFileSync(join(home, "config.json"), JSON.stringify({ proxy: { api_keys } }));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  const env = { PATH: process.env["PATH"], HOME: home, SERVICE_HOME: join(home, "data") };
  const all = [command, "proxy", ...args, "--config", join(home, "config.json")];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const readJson = (...args: readonly string[]): unknown => JSON.parse(run(...args, "--json").stdout);

describe("sallyport proxy keys and teams", () => {
  it("change members of a key one by one, and remove them with --no-", () => {
    expect(run("teams", "create", "search", "--rpm", "10").status).toBe(0);
    const members = ["--team", "search", "--models", "a*,b", "--expires", "30d", "--tag", "cost_center=42"];
    const limits = ["--rpm", "60", "--tpm", "9000", "--budget", "20/day", "--budget", "50/month"];
    expect(run("keys", "create", "alice", ...members, ...limits).status).toBe(0);
    expect(readJson("keys", "update", "alice", "--no-budget", "--no-team", "--rpm", "70")).toMatchObject({
      key: { team: null, models: ["a*", "b"], limits: { rpm: 70, tpm: 9000 } },
    });
    const removed = ["--no-models", "--no-expires", "--no-tag", "--no-rpm"];
    expect(readJson("keys", "update", "alice", ...removed)).toMatchObject({
      key: { models: null, expires_at: null, tags: {}, limits: { tpm: 9000 } },
    });
    expect(readJson("teams", "update", "search", "--no-rpm")).toMatchObject({
      team: { name: "search", limits: {} },
    });
  });

  it.each([
    [["--budget", "1e12/day"], "--budget: Too big"],
    [["--budget", "20/fortnight"], "--budget 20/fortnight is not AMOUNT/PERIOD"],
    [["--models", ","], "--models has no pattern"],
    [["--rpm", "0"], "--rpm 0 is not a whole number above 0"],
    [["--expires", "2020-01-01"], "The key's expires_at: must be in the future"],
    [["--no-rpm"], "unknown option '--no-rpm'"],
    [["--team", "sales"], "There is no team sales [usage]\nCreate it: sallyport proxy teams create sales"],
  ])("reject %j for a new key as a mistake on the command line", (flags, message) => {
    const { status, stdout, stderr } = run("keys", "create", "bob", ...flags);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("reject a key that does not exist, and name the command that lists all", () => {
    const { status, stdout, stderr } = run("keys", "update", "carol", "--rpm", "5");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("There is no key carol [usage]\nList the keys: sallyport proxy keys list");
  });

  it("show a key of the configuration file, and refuse to change it", () => {
    expect(readJson("keys", "show", "ci")).toMatchObject({
      key: { name: "ci", team: "build", limits: { rpm: 5 }, source: "config" },
    });
    for (const flags of [
      ["update", "ci", "--rpm", "9"],
      ["rotate", "ci"],
      ["revoke", "config:ci"],
    ]) {
      const { status, stdout, stderr } = run("keys", ...flags);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("The key ci is in the configuration file [usage]\nChange it there");
    }
  });

  it("keep a team that a key of the configuration file has", () => {
    expect(run("teams", "create", "build").status).toBe(0);
    const { status, stderr } = run("teams", "delete", "build");
    expect(status).toBe(2);
    expect(stderr).toContain("Cannot delete the team build: it has the keys ci of the configuration file");
    expect(run("teams", "show", "build").status).toBe(0);
  });

  it.each(["show", "update", "delete"])("reject a team that does not exist, and list all: %s", (command) => {
    const { status, stdout, stderr } = run("teams", command, "sales");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("There is no team sales [usage]\nList the teams: sallyport proxy teams list");
  });
});
