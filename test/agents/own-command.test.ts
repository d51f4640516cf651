import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTemporary, ownCommand, shellLine, unattendedLine } from "../../src/agents/own-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROGRAM = "/opt/node/bin/node";

async function commandAt(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "#!/bin/sh\n");
  await chmod(path, 0o755);
  return path;
}

async function linkAt(path: string, target: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
  return path;
}

describe("the command that starts this installation again", () => {
  it("is the name where the PATH leads to the package", async () => {
    const folder = await temporaryFolder();
    const script = await commandAt(join(folder, "lib/node_modules/sallyport/dist/sallyport.js"));
    await linkAt(join(folder, "bin/sallyport"), script);
    const started = { program: PROGRAM, script, searchPath: join(folder, "bin") };
    expect(await ownCommand(started)).toEqual(["sallyport"]);
  });

  it("is the name where the PATH leads to the single executable, and else the executable's path", async () => {
    const folder = await temporaryFolder();
    const program = await commandAt(join(folder, "bin/sallyport"));
    expect(await ownCommand({ program, searchPath: dirname(program) })).toEqual(["sallyport"]);
    expect(await ownCommand({ program, searchPath: folder })).toEqual([program]);
  });

  it("is node and the script where another installation comes first on the PATH", async () => {
    const folder = await temporaryFolder();
    const script = await commandAt(join(folder, "ours/sallyport.js"));
    await commandAt(join(folder, "theirs/sallyport"));
    await linkAt(join(folder, "bin/sallyport"), script);
    const searchPath = ["theirs", "bin"].map((name) => join(folder, name)).join(delimiter);
    expect(await ownCommand({ program: PROGRAM, script, searchPath })).toEqual([PROGRAM, script]);
  });

  it.each([
    ["npx's cache", "home/.npm/_npx/c0ffee/node_modules"],
    ["a project's packages", "project/node_modules"],
  ])("never relies on the PATH that npm sets for one command: %s", async (_where, packages) => {
    const folder = await temporaryFolder();
    const script = await commandAt(join(folder, packages, "sallyport/dist/sallyport.js"));
    const link = await linkAt(join(folder, packages, ".bin/sallyport"), script);
    const started = { program: PROGRAM, script: link, searchPath: dirname(link) };
    expect(await ownCommand(started)).toEqual([PROGRAM, script]);
  });

  it("never relies on folders of the PATH that depend on the working directory", async () => {
    const script = await commandAt(join(await temporaryFolder(), "sallyport"));
    const here = process.cwd();
    process.chdir(dirname(script));
    try {
      expect(await ownCommand({ program: PROGRAM, script, searchPath: "." })).toEqual([PROGRAM, script]);
    } finally {
      process.chdir(here);
    }
  });

  it("skips folders and files that are not executable, as a shell does", async () => {
    const folder = await temporaryFolder();
    const script = await commandAt(join(folder, "bin/sallyport"));
    await mkdir(join(folder, "src/sallyport"), { recursive: true });
    await mkdir(join(folder, "text"));
    await writeFile(join(folder, "text/sallyport"), "", { mode: 0o644 });
    const searchPath = ["src", "text", "bin"].map((name) => join(folder, name)).join(delimiter);
    expect(await ownCommand({ program: PROGRAM, script, searchPath })).toEqual(["sallyport"]);
  });

  it("is the script's path as it was given where the script was deleted meanwhile", async () => {
    const folder = await temporaryFolder();
    const script = await commandAt(join(folder, "sallyport.js"));
    await rm(script);
    expect(await ownCommand({ program: PROGRAM, script, searchPath: folder })).toEqual([PROGRAM, script]);
  });
});

describe("a command in a package manager's cache", () => {
  it.each([
    "/home/a/.npm/_npx/0123abcd/node_modules/sallyport/dist/sallyport.js",
    "C:\\Users\\a\\AppData\\Local\\npm-cache\\_npx\\0123abcd\\node_modules\\sallyport\\dist\\sallyport.js",
    "/home/a/.cache/pnpm/dlx/abc/node_modules/sallyport/dist/sallyport.js",
    "/tmp/xfs-1/dlx-4711/node_modules/sallyport/dist/sallyport.js",
    "/tmp/bunx-1000-sallyport@latest/node_modules/sallyport/dist/sallyport.js",
  ])("is temporary: %s", (script) => expect(isTemporary([PROGRAM, script])).toBe(true));

  it.each([
    "/usr/lib/node_modules/sallyport/dist/sallyport.js",
    "/home/a/dlxes/node_modules/sallyport/dist/sallyport.js",
  ])("is not: %s", (script) => expect(isTemporary([PROGRAM, script])).toBe(false));
});

it("the command line that repeats a command contains the quoted flags that are set, and --yes", () => {
  const flags = {
    "--config": undefined,
    "--env-file": "/home/dev/my keys.env",
    "--project": false,
    "--proxy": true,
  };
  expect(unattendedLine(["sallyport", "init"], flags)).toBe(
    `sallyport init --env-file ${shellLine(["/home/dev/my keys.env"])} --proxy --yes`,
  );
});
