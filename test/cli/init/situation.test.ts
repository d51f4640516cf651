import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { detectSituation } from "../../../src/cli/init/situation.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it("offers no connection of Codex with --project, because Codex ignores providers in a project", async () => {
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
  const connected = async (project: boolean) =>
    (await detectSituation({ ...flags, project })).agents.map((agent) => [agent.id, agent.connected]);
  expect(await connected(false)).toEqual([
    ["claude-code", false],
    ["codex", false],
  ]);
  expect(await connected(true)).toEqual([
    ["claude-code", false],
    ["codex", null],
  ]);
});
