import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { addRunningProxy } from "../../../src/cli/proxy/running-proxies.ts";
import type { CommandResult } from "../../../src/cli/run-command.ts";
import { compareVersions, upgrade } from "../../../src/cli/upgrade/upgrade.ts";
import { dataDirectory, processEnvironment } from "../../../src/config/paths.ts";
import { listedProxy } from "../../support/listed-proxy.ts";
import { recordOutput } from "../../support/record-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

afterEach(() => void vi.unstubAllEnvs());

const npm = (result: Partial<CommandResult>) => async (): Promise<CommandResult> => ({
  code: 0,
  stdout: "",
  stderr: "",
  ...result,
});

const check = { check: true, yes: false, json: false };

describe("sallyport upgrade --check", () => {
  it.each([
    ["0.2.0", "Version 0.2.0 is available; 0.1.0 is installed. To install it: sallyport upgrade"],
    ["0.1.0", "Version 0.1.0 is installed. It is the newest version."],
  ])("compares with version %s", async (newest, line) => {
    const { output, results } = recordOutput();
    expect(await upgrade(check, output, { run: npm({ stdout: `${newest}\n` }), installed: "0.1.0" })).toBe(0);
    expect(results).toEqual([line]);
  });

  it("prints JSON", async () => {
    const { output, results } = recordOutput();
    await upgrade({ ...check, json: true }, output, { run: npm({ stdout: "0.2.0\n" }), installed: "0.1.0" });
    expect(JSON.parse(results.join(""))).toEqual({ installed: "0.1.0", newest: "0.2.0", available: true });
  });

  it("does not wait for npm's minute of retries", async () => {
    const lines: string[] = [];
    const run = async (program: string, args: readonly string[]) => {
      lines.push([program, ...args].join(" "));
      return npm({ stdout: "0.1.0\n" })();
    };
    await upgrade(check, recordOutput().output, { run, installed: "0.1.0" });
    expect(lines).toEqual([expect.stringMatching(/^npm view sallyport@latest version .*--fetch-retries=1 /)]);
  });

  it.each([
    [{ code: undefined }, "npm is not installed"],
    [{ code: 1, stderr: "npm error code E404\n" }, "the package is not published"],
    [{ code: 1, stderr: "npm error network timeout\n" }, "npm error network timeout"],
    [
      {
        code: 1,
        stderr:
          "npm error code EAI_AGAIN\nnpm error request to https://a.example/x failed, reason: getaddrinfo EAI_AGAIN\n",
      },
      "getaddrinfo EAI_AGAIN",
    ],
  ])("reports why the newest version is unknown: %j", async (result, reason) => {
    const { output } = recordOutput();
    await expect(upgrade(check, output, { run: npm(result), installed: "0.1.0" })).rejects.toMatchObject({
      code: "upgrade_failed",
      message: `Cannot find the newest version: ${reason}`,
    });
  });
});

describe("sallyport upgrade", () => {
  const flags = { check: false, yes: false, json: false };

  /** Creates npm's global folder with a package or link, and returns a stub of npm that prints the folder. */
  async function globalFolder() {
    const folder = await temporaryFolder();
    vi.stubEnv("SALLYPORT_HOME", join(folder, "data"));
    const root = join(folder, "lib/node_modules");
    const script = join(root, "sallyport/dist/sallyport.js");
    const calls: string[] = [];
    const run = async (program: string, args: readonly string[]): Promise<CommandResult> => {
      calls.push([program, ...args].join(" "));
      return { code: 0, stdout: args[0] === "root" ? `${root}\n` : "9.0.0\n", stderr: "" };
    };
    await mkdir(root, { recursive: true });
    return { folder, script, run, calls };
  }

  it("installs with npm if this copy is in npm's global folder, whatever the PATH leads to", async () => {
    const { script, run, calls } = await globalFolder();
    await mkdir(dirname(script), { recursive: true });
    await writeFile(script, "");
    await addRunningProxy(dataDirectory(processEnvironment), listedProxy);
    const { output } = recordOutput();
    expect(await upgrade({ ...flags, yes: true }, output, { run, installed: "0.1.0", script })).toBe(0);
    expect(calls.slice(-2)).toEqual([
      "npm install --global sallyport@9.0.0",
      // The program on the PATH may be another installation.
      `${process.execPath} ${script} proxy restart --port 8045`,
    ]);
    await expect(upgrade(flags, output, { run, installed: "0.1.0", script })).rejects.toMatchObject({
      code: "usage",
    });
  });

  it("does not replace a clone that is linked there, or a copy elsewhere", async () => {
    const { folder, script, run } = await globalFolder();
    await mkdir(join(folder, "clone/dist"), { recursive: true });
    await writeFile(join(folder, "clone/dist/sallyport.js"), "");
    await symlink(join(folder, "clone"), dirname(dirname(script)));
    const { output } = recordOutput();
    for (const own of [script, join(folder, "clone/dist/sallyport.js")])
      await expect(
        upgrade({ ...flags, yes: true }, output, { run, installed: "0.1.0", script: own }),
      ).rejects.toMatchObject({
        code: "upgrade_failed",
      });
  });
});

describe("versions", () => {
  it.each([
    ["1.2.3", "1.2.3", 0],
    ["1.10.0", "1.9.9", 1],
    ["2.0.0-rc.1", "2.0.0", -1],
    ["2.0.0-rc.10", "2.0.0-rc.9", 1],
    ["2.0.0-rc.1.1", "2.0.0-rc.1", 1],
    ["2.0.0-alpha", "2.0.0-beta", -1],
    ["2.0.0-Beta", "2.0.0-alpha", -1],
    ["2.0.0-1", "2.0.0-alpha", -1],
    ["0.0.0-source", "0.1.0", -1],
  ])("%s compared with %s is %i", (one, other, sign) => {
    expect(Math.sign(compareVersions(one, other))).toBe(sign);
  });
});
