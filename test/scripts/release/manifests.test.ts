import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { parseChecksums, summary, targets, version } from "../../../scripts/release/facts.mjs";
import {
  homebrewFormula,
  installScript,
  releaseFiles,
  releaseNotes,
  wingetManifests,
} from "../../../scripts/release/manifests.mjs";
import { root } from "../../support/documents.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const REPOSITORY = "example-org/sallyport";
const checksums = new Map(targets.map(({ archive }, index) => [archive, `${index}`.repeat(64)]));

describe("the files of a release", () => {
  it("name every executable with its checksum", () => {
    const formula = homebrewFormula(REPOSITORY, checksums);
    for (const { archive } of targets.filter(({ platform }) => platform !== "win32")) {
      expect(formula).toContain(
        `url "https://github.com/${REPOSITORY}/releases/download/v${version}/${archive}"`,
      );
      expect(formula).toContain(`sha256 "${checksums.get(archive)}"`);
    }
    const manifests = wingetManifests(REPOSITORY, checksums);
    const installer = parse(manifests["winget/example-org.Sallyport.installer.yaml"] ?? "");
    expect(installer.Installers).toEqual([
      expect.objectContaining({
        Architecture: "x64",
        InstallerSha256: checksums.get("sallyport-win32-x64.zip"),
      }),
      expect.objectContaining({
        Architecture: "arm64",
        InstallerSha256: checksums.get("sallyport-win32-arm64.zip"),
      }),
    ]);
  });

  it("have a formula whose blocks are closed, with a description as Homebrew wants it", () => {
    expect(summary.length).toBeLessThanOrEqual(80);
    expect(summary).not.toMatch(/^(?:An?|The) |\.$|sallyport/i);
    const formula = homebrewFormula(REPOSITORY, checksums);
    const opened = formula.match(/^ *(?:class|def|.* do)\b/gm)?.length;
    expect(formula.match(/^ *end$/gm)?.length).toBe(opened);
  });

  it("are refused if a checksum is missing or cannot be parsed", () => {
    expect(() => releaseFiles(REPOSITORY, new Map(), "")).toThrow("SHA256SUMS has no line for");
    expect(() => parseChecksums("abc  file\n")).toThrow("Not a line of sha256sum");
    const lines = `${"a".repeat(64)}  one.tar.gz\n${"b".repeat(64)} *two.zip\n`;
    expect(Object.fromEntries(parseChecksums(lines))).toEqual({
      "one.tar.gz": "a".repeat(64),
      "two.zip": "b".repeat(64),
    });
  });

  it("have the notes of the version's section in the changelog", () => {
    const changelog = `# Changelog\n\n## Unreleased\n\n- next\n\n## ${version} – 2026-11-21\n\n- this\n\n## 0.0.1\n\n- old\n`;
    expect(releaseNotes(changelog)).toBe("- this\n");
    expect(() => releaseNotes("# Changelog\n")).toThrow(`CHANGELOG.md has no section ${version}`);
  });
});

/** Downloads as curl does, for systems that have neither curl nor wget. */
const DOWNLOADER = `const [file, url] = process.argv.slice(-2);
const response = await fetch(url);
if (!response.ok) process.exit(22);
(await import("node:fs")).writeFileSync(file, Buffer.from(await response.arrayBuffer()));
`;

describe("the install script", () => {
  /** A local copy of a release for this machine, whose executable prints a version. */
  async function withMirror(change: (archive: Buffer) => Buffer = (archive) => archive) {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "sallyport"), "#!/bin/sh\necho 9.9.9\n");
    await chmod(join(folder, "sallyport"), 0o755);
    execFileSync("tar", ["-czf", "archive", "sallyport"], { cwd: folder });
    const archive = await readFile(join(folder, "archive"));
    const digest = createHash("sha256").update(archive).digest("hex");
    const server = createServer((_request, response) => response.end(change(archive)));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const script = join(folder, "install.sh");
    const digests = new Map(targets.map((target) => [target.archive, digest]));
    await writeFile(script, installScript(REPOSITORY, digests));
    const target = join(folder, "bin");
    const tools = join(folder, "tools");
    await mkdir(tools);
    await writeFile(join(tools, "downloader.mjs"), DOWNLOADER);
    await writeFile(join(tools, "curl"), `#!/bin/sh\nexec node "${tools}/downloader.mjs" "$@"\n`, {
      mode: 0o755,
    });
    const run = () =>
      promisify(execFile)("sh", [script], {
        env: {
          // The system's own curl comes first.
          PATH: `${process.env["PATH"]}:${tools}`,
          HOME: folder,
          SALLYPORT_INSTALL_DIR: target,
          SALLYPORT_DOWNLOAD_URL: `http://127.0.0.1:${port}`,
        },
      });
    return { target, run };
  }

  it("installs the executable, and replaces an older one", async () => {
    const { target, run } = await withMirror();
    expect((await run()).stderr).toContain(`Installed 9.9.9 as ${join(target, "sallyport")}`);
    expect((await run()).stderr).toContain(`Add ${target} to your PATH, then: sallyport init`);
    expect(await readdir(target)).toEqual(["sallyport"]);
  });

  it("installs nothing if the checksum differs", async () => {
    const { target, run } = await withMirror((archive) => Buffer.concat([archive, Buffer.from("x")]));
    await expect(run()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/The checksum of .* is wrong: .* Nothing was installed\./),
    });
    await expect(readdir(target)).rejects.toThrow();
  });
});

describe("the Nix flake", () => {
  it("has the summary and the systems of the release", async () => {
    const flake = await readFile(resolve(root, "flake.nix"), "utf8");
    expect(flake).toContain(`description = "${summary}"`);
    for (const { platform, arch } of targets.filter((target) => target.platform !== "win32"))
      expect(flake).toContain(`"${arch === "x64" ? "x86_64" : "aarch64"}-${platform}"`);
  });
});
