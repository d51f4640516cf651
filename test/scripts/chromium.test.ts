import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { extractChromium } from "../../scripts/chromium-package.mjs";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

/** Writes a package with the files and the compression of the real one, as `npm pack` does. */
function packChromium(folder: string): void {
  const bin = join(folder, "package/bin");
  mkdirSync(bin, { recursive: true });
  const store = (name: string, bytes: Buffer) => writeFileSync(join(bin, name), brotliCompressSync(bytes));
  store("chromium.br", Buffer.from('#!/bin/sh\necho "$LD_LIBRARY_PATH|$FONTCONFIG_FILE|$1"\n'));
  for (const [archive, file] of [
    ["al2023", "lib/libnspr4.so"],
    ["fonts", "fonts/Open_Sans/OpenSans-Regular.ttf"],
    ["swiftshader", "libEGL.so"],
  ] as const) {
    const content = join(folder, archive);
    mkdirSync(join(content, file, ".."), { recursive: true });
    writeFileSync(join(content, file), "");
    store(`${archive}.tar.br`, execFileSync("tar", ["-cf", "-", "-C", content, "."]));
  }
  execFileSync("tar", ["-czf", "chromium.tgz", "package"], { cwd: folder });
  for (const name of readdirSync(folder).filter((entry) => entry !== "chromium.tgz"))
    execFileSync("rm", ["-r", join(folder, name)]);
}

/** Writes a package with one font. */
function packFonts(folder: string): void {
  mkdirSync(join(folder, "package/ttf"), { recursive: true });
  writeFileSync(join(folder, "package/ttf/DejaVuSansMono.ttf"), "");
  execFileSync("tar", ["-czf", "fonts.tgz", "package"], { cwd: folder });
  rmSync(join(folder, "package"), { recursive: true });
}

describe.runIf(process.platform === "linux")("the Chromium that needs no administrator", () => {
  it("starts with the libraries and fonts of its packages", async () => {
    const folder = join(await temporaryFolder(), "it's a folder");
    const start = extractChromium(folder, (args, cwd) => {
      const pack = args.at(-1)?.startsWith("dejavu-fonts-ttf") ? packFonts : packChromium;
      pack(cwd);
    });
    const { stdout } = await runProgram([start, "--version"], { cwd: "/", env: {} });
    expect(stdout.trim().split("|")).toEqual([
      `${folder}/lib:${folder}`,
      `${folder}/fonts.conf`,
      "--version",
    ]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["fonts", "lib", "libEGL.so"]));
    expect(readdirSync(folder)).not.toContain("package");
    expect(readdirSync(join(folder, "fonts")).sort()).toEqual(["Open_Sans", "dejavu"]);
    expect(readFileSync(join(folder, "fonts.conf"), "utf8")).toContain(`<dir>${folder}/fonts</dir>`);
  });

  it("leaves nothing behind where its download fails", async () => {
    const folder = await temporaryFolder();
    const failing = () => {
      throw new Error("no network");
    };
    expect(() => extractChromium(join(folder, "chromium"), failing)).toThrow("no network");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("npm test without a browser", () => {
  it("runs the tests that need none first", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(scripts.test).toBe(
      "npm run check && node scripts/expect-browser.mjs chromium && npm run test:e2e",
    );
    expect(scripts["test:firefox-smoke"]).toMatch(/^node scripts\/expect-browser.mjs firefox && vitest run /);
  });

  it.each(["chromium", "firefox"])("ends with an error that says what to install: %s", async (name) => {
    const missing = join(await temporaryFolder(), "missing");
    const env = { ...process.env, CHROMIUM: missing, FIREFOX: missing };
    const argv = [process.execPath, join(root, "scripts/expect-browser.mjs"), name];
    const { code, stderr } = await runProgram(argv, { cwd: root, env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`apt-get install ${name}`),
    });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("the set-up", () => {
  it("starts Node.js from a folder with blanks on Windows", async () => {
    const folder = await temporaryFolder();
    const nodeFolder = join(folder, "Program Files");
    for (const name of [nodeFolder, join(folder, "scripts"), join(folder, "node_modules")]) mkdirSync(name);
    const node = join(nodeFolder, "node");
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(node, 0o755);
    for (const name of ["set-up.mjs", "try-again.mjs"])
      writeFileSync(join(folder, "scripts", name), readFileSync(join(root, "scripts", name)));
    const build = 'import { mkdirSync } from "node:fs"; mkdirSync("dist");';
    writeFileSync(join(folder, "scripts/build.mjs"), build);
    writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
    const asWindows = `Object.defineProperty(process, "platform", { value: "win32" });
      Object.defineProperty(process, "execPath", { value: ${JSON.stringify(node)} });`;
    const preload = `data:text/javascript,${encodeURIComponent(asWindows)}`;
    const argv = [process.execPath, "--import", preload, "scripts/set-up.mjs"];
    // The copy is not a repository, so changes are detected by the files' times.
    const { code, stderr } = await runProgram(argv, { cwd: folder, env: process.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Building …\n/) });
  });
});
