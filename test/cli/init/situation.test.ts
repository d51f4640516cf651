import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { detectSituation } from "../../../src/cli/init/situation.ts";
import { connect } from "../../../src/cli/proxy/connect/connect.ts";
import { agentFindings } from "../../../src/cli/setup/doctor/agents.ts";
import { recordOutput } from "../../support/record-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Creates a home folder with the programs of two agents, and a project. Returns a function that looks for agents. */
async function makeHome() {
  const home = await temporaryFolder();
  for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home);
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME"]) vi.stubEnv(name, undefined);
  for (const name of ["claude", "codex"]) {
    await mkdir(join(home, "bin"), { recursive: true });
    await writeFile(join(home, "bin", name), "", { mode: 0o755 });
  }
  vi.stubEnv("PATH", join(home, "bin"));
  const config = join(home, "config.json");
  await writeFile(config, JSON.stringify({ proxy: { upstreams: {} } }));
  await mkdir(join(home, "project/.git"), { recursive: true });
  vi.spyOn(process, "cwd").mockReturnValue(join(home, "project"));
  const flags = { config, proxy: true, yes: true, dryRun: false, json: false };
  const findConnected = async (project: boolean) =>
    (await detectSituation({ ...flags, project })).agents.map((agent) => [agent.id, agent.connected]);
  return { home, findConnected };
}

it("offers no connection of Codex with --project, because Codex ignores providers in a project", async () => {
  const { findConnected } = await makeHome();
  expect(await findConnected(false)).toEqual([
    ["claude-code", false],
    ["codex", false],
  ]);
  expect(await findConnected(true)).toEqual([
    ["claude-code", false],
    ["codex", null],
  ]);
});

it("finds a connection in settings that are a link, as of a dotfile manager", async () => {
  const { home, findConnected } = await makeHome();
  await mkdir(join(home, ".claude"));
  await mkdir(join(home, "dotfiles"));
  await writeFile(join(home, "dotfiles/settings.json"), "{}");
  await symlink(join(home, "dotfiles/settings.json"), join(home, ".claude/settings.json"));
  const flags = { project: false, yes: true, print: false, url: "http://127.0.0.1:9" };
  expect(await connect("claude-code", flags, recordOutput().output)).toBe(0);
  expect(await findConnected(false)).toEqual([
    ["claude-code", true],
    ["codex", false],
  ]);
  const findings = await agentFindings({ searchPath: join(home, "bin"), proxyRuns: true });
  expect(findings).toContainEqual({ subject: "Claude Code → proxy", state: "ok", detail: "connected" });
});
