import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, root, run, sallyport } from "./bench.ts";
import type { Driver } from "./drivers/driver.ts";
import { program } from "./programs.ts";

/** The committed packages, installed with the agents' own commands. Each expects `sallyport` on the PATH. */

/** Makes `sallyport` a command of the bench. */
export async function putOnPath(bench: Bench): Promise<void> {
  const folder = join(bench.home, "bin");
  await mkdir(folder, { recursive: true });
  await symlink(sallyport[1], join(folder, "sallyport"));
  // Codex CLI runs commands in a login shell.
  await writeFile(join(bench.home, ".profile"), 'PATH="$HOME/bin:$PATH"\n');
  bench.environment["PATH"] = `${folder}:${bench.environment["PATH"]}`;
}

/** Returns a driver whose agent installs a package with these commands. */
function packaged(driver: Driver, name: string, commands: readonly (readonly string[])[]): Driver {
  return {
    ...driver,
    async install(bench) {
      await putOnPath(bench);
      for (const args of commands) {
        const { code, stdout, stderr } = await run(bench, [program(name), ...args]);
        if (code !== 0) throw new Error(`${name} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
      }
    },
  };
}

/** A Claude Code plugin from the marketplace of the repository. */
export const withPlugin = (driver: Driver, plugin: string): Driver =>
  packaged(driver, "claude-code", [
    ["plugin", "marketplace", "add", root],
    ["plugin", "install", `${plugin}@sallyport`],
  ]);

export const withExtension = (driver: Driver): Driver =>
  packaged(driver, "gemini-cli", [["extensions", "install", join(root, "plugins/gemini-cli"), "--consent"]]);

/** The Agent Plugin from the marketplace of the repository. */
export const withAgentPlugin = (driver: Driver): Driver =>
  packaged(driver, driver.program, [
    ["plugin", "marketplace", "add", root],
    ["plugin", driver.program === "codex" ? "add" : "install", "sallyport@sallyport"],
  ]);
