import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quietPort } from "../support/quiet-port.ts";
import { deny, type RunOptions, runProgram } from "../support/run-program.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-executable-"));
const suffix = process.platform === "win32" ? ".exe" : "";
const built = join(folder, `built${suffix}`);
const bin = join(folder, "bin");
const program = join(bin, `sallyport${suffix}`);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

beforeAll(() => {
  const args = ["scripts/build-binary.mjs", "--built", "--output", built];
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
  mkdirSync(bin);
  // "Copy the resulting file anywhere": outside of the folder in which it was built.
  copyFileSync(built, program);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function prepareHome(name: string): {
  home: string;
  run(args: readonly string[], more?: Partial<RunOptions>): ReturnType<typeof runProgram>;
} {
  const home = join(folder, name);
  mkdirSync(home);
  const env = {
    PATH: [bin, process.env["PATH"]].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    SERVICE_HOME: join(home, "data"),
    SERVICE_BROWSER: "none",
  };
  return { home, run: (args, more) => runProgram(args, { cwd: home, env, ...more }) };
}

describe.each([
  ["by its name, found on the PATH", "sallyport", "sallyport"],
  ["by its path", program, "sallyport"],
  ["by another path than the one on the PATH", built, built],
])("the executable, started %s", (title, started, hooked) => {
  const { home, run } = prepareHome(title.replaceAll(" ", "-"));

  it.each([
    [["--version"], 0, version],
    [["--help"], 0, "sallyport doctor"],
    [["doctor", "--json"], undefined, '"subject": "Node.js"'],
    [["install", "--list"], 0, "claude-code"],
    [["uninstall", "gemini-cli", "--yes"], 0, ""],
    [["proxy", "connect", "claude-code", "--print"], 0, "ANTHROPIC_BASE_URL"],
    [["proxy", "connect", "claude-code", "--url", "http://127.0.0.1:9", "--yes"], 0, ""],
    [["proxy", "disconnect", "claude-code", "--yes"], 0, ""],
    [["proxy", "check"], 0, ""],
    [["completion", "bash"], 0, "complete"],
    [["docs"], 0, "how-to/troubleshoot"],
    [["docs", "troubleshoot"], 0, "# Find out why something does not work"],
    [["licenses"], 0, "Node.js is licensed for use as follows:"],
  ])("runs %j", async (args, code, printed) => {
    const ended = await run([started, ...args]);
    expect(ended.stderr).not.toContain("internal error");
    if (code !== undefined) expect(ended).toMatchObject({ code });
    expect(ended.stdout).toContain(printed);
  });

  it("installs a hook that opens a review", async () => {
    expect(await run([started, "install", "codex", "--yes"])).toMatchObject({ code: 0 });
    const hooks = readFileSync(join(home, ".codex/hooks.json"), "utf8");
    const line = /"command": "((?:[^"\\]|\\.)*review plan[^"]*)"/.exec(hooks)?.[1] ?? "";
    expect(line).toContain(`exec ${hooked} review plan`);
    const ended = await run(["sh", "-c", line], {
      stdin: "# A plan\n",
      onUrl: (url) => deny(url, "Not like this."),
    });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Not like this.") });
  });

  it("serves the proxy from several processes", async () => {
    const ready = join(home, "ready.json");
    const port = String(await quietPort());
    const args = ["proxy", "start", "--workers", "2", "--port", port, "--ready-file", ready];
    const ended = run([started, ...args], {
      onUrl: async (url) => {
        await expect.poll(() => existsSync(ready)).toBe(true);
        expect(await (await fetch(new URL("/healthz", url))).json()).toEqual({ status: "ok" });
        process.kill((JSON.parse(readFileSync(ready, "utf8")) as { pid: number }).pid, "SIGTERM");
      },
    });
    expect(await ended).toMatchObject({ code: 0 });
  });
});
