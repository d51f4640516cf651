import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { stopProxy } from "../../src/cli/proxy/control/stop.ts";
import { addRunningProxy } from "../../src/cli/proxy/running-proxies.ts";
import { createServiceManager } from "../../src/cli/proxy/service/create-service-manager.ts";
import { uninstallService } from "../../src/cli/proxy/service/service.ts";
import { install } from "../../src/cli/setup/install.ts";
import { openReceipts } from "../../src/cli/setup/install-target.ts";
import { uninstallAll } from "../../src/cli/uninstall-all.ts";
import { dataDirectory, processEnvironment } from "../../src/config/paths.ts";
import { addRunning } from "../../src/review/live/register-review.ts";
import { listedProxy } from "../support/listed-proxy.ts";
import { recordOutput } from "../support/record-output.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Test files share modules. An earlier file may have loaded the real ones, which would stop this process; a later file
// needs them.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());
vi.mock("../../src/cli/proxy/control/stop.ts", () => ({ stopProxy: vi.fn(async () => 0) }));
vi.mock("../../src/cli/proxy/service/service.ts", () => ({ uninstallService: vi.fn(async () => 0) }));

afterEach(() => {
  vi.clearAllMocks();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function terminal(): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY: true });
}

/** Replaces the home and data directories with temporary ones. */
async function stubHome(): Promise<string> {
  const home = await temporaryFolder();
  for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home);
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "SALLYPORT_DATA_DIR"]) vi.stubEnv(name, undefined);
  return home;
}

it("lists only the steps that the person confirmed as removed", async () => {
  await stubHome();
  const { results, output } = recordOutput();
  const flags = { project: false, yes: true, json: false };
  for (const agent of ["claude-code", "cline"])
    expect(await install(agent, { ...flags, list: false, live: false }, output)).toBe(0);

  const input = terminal();
  const questions = terminal();
  questions.on("data", (text) => {
    if (String(text).includes("[y/N]")) input.write(typed.shift() ?? "n\n");
  });
  const typed = ["n\n", "y\n"];
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
  vi.spyOn(process, "stderr", "get").mockReturnValue(questions as never);
  expect(await uninstallAll({ ...flags, all: true, yes: false, json: true, data: false }, output)).toBe(0);
  expect(typed).toEqual([]);
  expect(JSON.parse(results.at(-1) ?? "")).toEqual({ removed: ["cline"] });
});

it("keeps the service, running proxies and the data directory with --project", async () => {
  const home = await stubHome();
  await mkdir(join(home, "project/.git"), { recursive: true });
  vi.spyOn(process, "cwd").mockReturnValue(join(home, "project"));
  const path = createServiceManager().file;
  await openReceipts("service", "proxy").save({ path, original: undefined, written: "", madeFolders: [] });
  const { output } = recordOutput();
  const flags = { all: true, data: false, yes: true, json: true };
  expect(await uninstallAll({ ...flags, project: true }, output)).toBe(0);
  expect(uninstallService).not.toHaveBeenCalled();
  expect(stopProxy).not.toHaveBeenCalled();
  await expect(uninstallAll({ ...flags, project: true, data: true }, output)).rejects.toMatchObject({
    code: "usage",
  });
  expect(await uninstallAll({ ...flags, project: false }, output)).toBe(0);
  expect(uninstallService).toHaveBeenCalledOnce();
  expect(stopProxy).toHaveBeenCalledOnce();
});

it("removes the other parts if the settings of one agent are invalid, and then keeps the data directory", async () => {
  const home = await stubHome();
  const { notes, results, output } = recordOutput();
  const flags = { project: false, yes: true, json: true };
  for (const agent of ["claude-code", "cline", "qwen"])
    expect(await install(agent, { ...flags, json: false, list: false, live: false }, output)).toBe(0);
  const settings = join(home, ".claude/settings.json");
  await writeFile(settings, "{broken");
  expect(await uninstallAll({ ...flags, all: true, data: true }, output)).toBe(2);
  expect(JSON.parse(results.at(-1) ?? "")).toEqual({ removed: ["qwen", "cline"] });
  expect(await readFile(settings, "utf8")).toBe("{broken");
  expect(notes.join("\n")).toContain(`hook of Claude Code: ${settings}: Not valid JSON`);
  expect(stopProxy).toHaveBeenCalledOnce();
  const data = dataDirectory(processEnvironment);
  expect(await readdir(data)).toContain("agents");
  notes.length = 0;
  expect(await uninstallAll({ ...flags, all: true, data: true, json: false }, output)).toBe(2);
  expect(notes.filter((note) => /\bstays?\b/.test(note))).toEqual([
    `The data directory stays, because it has the backups for the failed steps: ${data}`,
  ]);

  await writeFile(settings, "{}");
  expect(await uninstallAll({ ...flags, all: true, data: true }, output)).toBe(0);
  await expect(readdir(dataDirectory(processEnvironment))).rejects.toMatchObject({ code: "ENOENT" });
});

describe("the notes of uninstall --all", () => {
  const flags = { all: true, project: false, yes: true, json: false, data: false };
  const nothing = "No agent has files from Sallyport. No changes made.";

  it("state that there was nothing to remove", async () => {
    await stubHome();
    const { notes, output } = recordOutput();
    expect(await uninstallAll(flags, output)).toBe(0);
    expect(notes).toContain(nothing);
  });

  it("do not state this if the person declined", async () => {
    await stubHome();
    const { notes, output } = recordOutput();
    expect(await install("cline", { ...flags, list: false, live: false }, output)).toBe(0);
    const input = terminal();
    const questions = terminal();
    questions.on("data", (text) => {
      if (String(text).includes("[y/N]")) input.write("n\n");
    });
    vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
    vi.spyOn(process, "stderr", "get").mockReturnValue(questions as never);
    expect(await uninstallAll({ ...flags, yes: false }, output)).toBe(0);
    expect(notes).toContain("No changes made.");
    expect(notes).not.toContain(nothing);
  });

  it("name the proxies that were stopped", async () => {
    await stubHome();
    const { notes, output } = recordOutput();
    await addRunningProxy(dataDirectory(processEnvironment), listedProxy);
    expect(await uninstallAll(flags, output)).toBe(0);
    expect(stopProxy).toHaveBeenCalledOnce();
    expect(notes).toContain("Stopped http://localhost:8045.");
    expect(notes).not.toContain(nothing);
  });

  it.each([
    [1, "1 review is open"],
    [2, "2 reviews are open"],
  ])("state how many reviews are open (%i), which keep the data directory", async (count, expected) => {
    await stubHome();
    const data = dataDirectory(processEnvironment);
    for (let index = 0; index < count; index += 1)
      await addRunning(data, {
        id: `review${index}`,
        mode: "code",
        live: true,
        url: "http://localhost:1234",
        title: "Review",
        repository: "/",
        agent: "codex",
        since: "2026-01-01T00:00:00Z",
        port: 1234,
        token: "t".repeat(32),
      });
    await expect(uninstallAll({ ...flags, data: true }, recordOutput().output)).rejects.toMatchObject({
      code: "usage",
      message: `${data} was not deleted: ${expected}`,
    });
  });
});

it("deletes only the data if the data directory contains the configuration, as on macOS", async () => {
  const home = await stubHome();
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME"]) vi.stubEnv(name, home);
  const folder = join(home, "sallyport");
  const { notes, results, output } = recordOutput();
  const remove = () => uninstallAll({ all: true, data: true, project: false, yes: true, json: true }, output);
  await mkdir(join(folder, "history/a"), { recursive: true });
  await writeFile(join(folder, "settings.json"), "{}");
  for (const name of ["config.json", "prices.json", ".env"]) await writeFile(join(folder, name), "{}");
  expect(await remove()).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual([".env", "config.json", "prices.json"]);
  expect(notes).toContain(`Deleted the data in ${folder}; the configuration stays.`);
  expect(JSON.parse(results.at(-1) ?? "")).toEqual({ removed: ["data"] });

  expect(await remove()).toBe(0);
  expect(JSON.parse(results.at(-1) ?? "")).toEqual({ removed: [] });
});
