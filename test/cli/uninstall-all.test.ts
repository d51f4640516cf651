import { mkdir } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import type { Output } from "../../src/cli/output.ts";
import { install } from "../../src/cli/setup/install.ts";
import { uninstallAll } from "../../src/cli/uninstall-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function terminal(): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY: true });
}

it("lists only the steps that the person confirmed as removed", async () => {
  const home = await temporaryFolder();
  await mkdir(home, { recursive: true });
  for (const name of ["HOME", "USERPROFILE"]) vi.stubEnv(name, home);
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "SALLYPORT_DATA_DIR"]) vi.stubEnv(name, undefined);
  const results: string[] = [];
  const output: Output = {
    note: () => {},
    result: async (text) => results.push(text) > 0,
    lostResult: false,
    interactive: false,
  };
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
