import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Script } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleParts, bundleStart } from "../../scripts/bundle.mjs";
import { quietPort } from "../support/quiet-port.ts";
import { deny, runProgram } from "../support/run-program.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-package-"));
const command = join(folder, "prefix/bin/sallyport");
const installed = join(folder, "prefix/lib/node_modules/sallyport");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const environment = {
  PATH: process.env["PATH"],
  HOME: folder,
  SERVICE_HOME: join(folder, "data"),
  npm_config_cache: join(folder, "cache"),
  npm_config_update_notifier: "false",
};

const npm = (...args: string[]) =>
  execFileSync("npm", args, {
    cwd: root,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const sallyport = (...args: string[]) =>
  execFileSync(command, args, { cwd: folder, env: environment, encoding: "utf8" });

/** Starts the command and resolves to its address once the ready file exists. */
async function started(args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const ready = join(folder, `ready-${args[0]}-${args[1]}.json`);
  const child = spawn(command, [...args, "--ready-file", ready], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}`);
    await new Promise((done) => setTimeout(done, 20));
  }
  return { child, url: (JSON.parse(readFileSync(ready, "utf8")) as { url: string }).url };
}

const cacheFolder = () => {
  const folders = join(folder, "data/code-cache");
  return join(folders, readdirSync(folders)[0] ?? "");
};
const compileCache = () => readdirSync(cacheFolder());

/** Returns whether V8 rejects a file of the compile cache, as for a part that is compiled with other flags. */
function isRejected(name: string): boolean {
  const part = join(installed, "dist/parts", name.replace(/-[0-9a-f]{32}$/, ""));
  const cachedData = readFileSync(join(cacheFolder(), name));
  return new Script(readFileSync(part, "latin1"), { cachedData }).cachedDataRejected !== false;
}

/** Resolves when the proxy has opened its database: it then stores the admin key. */
async function databaseOpen(): Promise<void> {
  await expect.poll(() => existsSync(join(folder, "data/proxy/admin-key")), { timeout: 10_000 }).toBe(true);
}

beforeAll(() => {
  npm("pack", "--pack-destination", folder);
  npm("install", "-g", "--offline", "--no-audit", "--no-fund", "--prefix", join(folder, "prefix"), tarball());
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function tarball(): string {
  return join(folder, `sallyport-${manifest.version}.tgz`);
}

describe("the package that npm pack makes", () => {
  it("installs without a registry: no dependency, no install script", () => {
    const installedPackage = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
      dependencies?: object;
      scripts: Record<string, string>;
    };
    expect(installedPackage.dependencies).toBeUndefined();
    for (const name of ["preinstall", "install", "postinstall", "prepare"])
      expect(installedPackage.scripts).not.toHaveProperty(name);
    expect(existsSync(join(installed, "node_modules"))).toBe(false);
    expect(sallyport("--version")).toBe(`${manifest.version}\n`);
  });

  it("contains licenses, examples and the API's types, but no executable or other source", () => {
    expect(readdirSync(installed).sort()).toEqual([
      ".agents",
      ".claude-plugin",
      ".github",
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist",
      "docs",
      "examples",
      "package.json",
      "plugins",
      "src",
    ]);
    // The only source files are the types that the API reference links to.
    const sources = readdirSync(join(installed, "src/review"));
    expect(sources).toContain("api-types.ts");
    expect(sources.filter((name) => !name.endsWith("api-types.ts"))).toEqual([]);
    expect(readdirSync(join(installed, "dist")).sort()).toEqual([
      "THIRD-PARTY-LICENSES.txt",
      "package.json",
      "parts",
      "sallyport.1",
      "sallyport.js",
      "web",
      "workers",
    ]);
  });

  it("contains API types that compile", () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--allowImportingTsExtensions"];
    const types = readdirSync(join(installed, "src/review")).map((name) =>
      join(installed, "src/review", name),
    );
    const args = [compiler, ...options, ...types];
    expect(spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: "",
    });
  });

  it("prints the licenses of Sallyport and of all bundled packages", () => {
    const printed = sallyport("licenses");
    expect(printed).toContain(readFileSync(join(root, "LICENSE"), "utf8"));
    expect(printed).toContain(readFileSync(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8"));
  });

  it("contains the manual page", () => {
    const page = readFileSync(join(folder, "prefix/share/man/man1/sallyport.1"), "utf8");
    expect(page).toContain(`"sallyport ${manifest.version}"`);
    expect(page).toContain(".B sallyport review plan");
  });

  it("is the same, byte for byte, when it is built again", async () => {
    const contents = async (name: string) => {
      const dist = join(folder, name);
      await bundleParts(join(dist, "parts"), "dce-only");
      await bundleStart("package", join(dist, "sallyport.js"), join(dist, "parts"));
      const names = readdirSync(dist, { recursive: true, withFileTypes: true });
      return names
        .filter((entry) => entry.isFile())
        .map(({ name }) => [name, hashOf(join(dist, name === "sallyport.js" ? "" : "parts", name))])
        .sort();
    };
    expect(await contents("first")).toEqual(await contents("second"));
    // The package contains no other compiled code.
    expect(readdirSync(join(installed, "dist/parts")).filter((name) => !name.endsWith(".cjs"))).toEqual([]);
  });

  it("reviews a plan: the page, its script, a decision", async () => {
    const { child, url } = await started([
      "review",
      "plan",
      join(installed, "examples/plan.md"),
      "--no-open",
    ]);
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    const ended = new Promise((done) => child.once("close", done));
    const page = await (await fetch(url)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(new URL(script ?? "/missing", url))).status).toBe(200);
    // Runs of at least one second store their compiled code.
    await new Promise((done) => setTimeout(done, 1_000));
    const headers = { "content-type": "application/json" };
    await fetch(new URL("/api/approve", url), { method: "POST", headers, body: "{}" });
    expect(await ended).toBe(0);
    expect(printed).toContain("Plan approved.");
  });

  it("stores a compile cache in the data directory that Node.js accepts", () => {
    expect(compileCache().length).toBeGreaterThan(10);
    expect(compileCache().filter(isRejected)).toEqual([]);
    expect(sallyport("review", "--help")).toContain("Review a plan or a diff in the browser");
    expect(existsSync(join(installed, "dist/cache"))).toBe(false);
  });

  it("reviews the changes of a repository", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder });
    git("init", "--quiet");
    writeFileSync(join(folder, "new.ts"), "export const fresh = 1;\n");
    const { child, url } = await started(["review", "code", "new.ts", "--no-open"]);
    const ended = new Promise((done) => child.once("close", done));
    const diff = (await (await fetch(new URL("/api/diff", url))).json()) as { rawPatch: string };
    expect(diff.rawPatch).toContain("+export const fresh = 1;");
    child.kill("SIGTERM");
    await ended;
  });

  it("starts the proxy without configuration, and stores its compile cache, which Node.js accepts", async () => {
    const { child, url } = await started(["proxy", "start", "--port", String(await quietPort())]);
    const ended = new Promise((done) => child.once("close", done));
    expect(await (await fetch(new URL("/healthz", url))).json()).toEqual({ status: "ok" });
    await databaseOpen();
    // The flags that limit the heap are set two seconds after the start.
    await delay(2_500);
    child.kill("SIGTERM");
    await ended;
    expect(compileCache()).toContainEqual(expect.stringMatching(/^create-proxy-/));
    expect(compileCache()).toContainEqual(expect.stringMatching(/^open-database-/));
    expect(compileCache().filter(isRejected)).toEqual([]);
  });

  it("installs a hook that runs without npx when run by npx, and warns that npx may delete the copy", async () => {
    const home = join(folder, "npx-home");
    mkdirSync(home);
    const env = { ...environment, HOME: home, SERVICE_HOME: join(home, "data"), SERVICE_BROWSER: "none" };
    const npx = ["npm", "exec", "--offline", "--yes", `--package=${tarball()}`, "--", "sallyport"];
    const installing = await runProgram([...npx, "install", "codex", "--yes"], { cwd: home, env });
    expect(installing).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Install Sallyport permanently"),
    });
    const hooks = readFileSync(join(home, ".codex/hooks.json"), "utf8");
    const line = /"command": "((?:[^"\\]|\\.)*review plan[^"]*)"/.exec(hooks)?.[1] ?? "";
    const reviewed = await runProgram(["sh", "-c", line], {
      cwd: home,
      env,
      stdin: "# A plan\n",
      onUrl: (url) => deny(url, "Not like this."),
    });
    expect(reviewed).toMatchObject({ code: 0, stdout: expect.stringContaining("Not like this.") });
  });
});
