// The facts that the workflows, the Homebrew formula, the winget manifests, the Nix flake and the install script
// share.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "../bundle.mjs";

const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));

/** The name of the npm package, the command, the Homebrew formula and the executables. */
export const name = manifest.name;
export const version = manifest.version;
export const license = manifest.license;
/**
 * The description in Homebrew's style: at most 80 characters, without a leading article or a final period.
 */
export const summary = "Review the plans and diffs of coding agents, and proxy their model calls";
export const description = manifest.description;
/** The oldest supported version of Node.js, such as 20.19. */
export const minimumNode = manifest.engines.node.replace(/^>=/, "");

/** The versions of Node.js on which `npm run check` runs in CI; the executable embeds `executableNode`. */
export const testedNodes = ["22", "24", "26"];
export const executableNode = "24";
export const testedRunners = ["ubuntu-24.04", "macos-15", "windows-2025"];

/** The executables of a release, each built on its platform. */
export const targets = [
  { platform: "linux", arch: "x64", runner: "ubuntu-24.04" },
  { platform: "linux", arch: "arm64", runner: "ubuntu-24.04-arm" },
  { platform: "darwin", arch: "x64", runner: "macos-15-intel" },
  { platform: "darwin", arch: "arm64", runner: "macos-15" },
  { platform: "win32", arch: "x64", runner: "windows-2025" },
  { platform: "win32", arch: "arm64", runner: "windows-11-arm" },
].map((target) => ({ ...target, archive: archiveName(target) }));

function archiveName({ platform, arch }) {
  return `${manifest.name}-${platform}-${arch}${platform === "win32" ? ".zip" : ".tar.gz"}`;
}

/** Returns the URL of a file of a release; `repository` is `owner/name` at github.com. */
export function downloadUrl(repository, file, tag = `v${version}`) {
  return `https://github.com/${repository}/releases/download/${tag}/${file}`;
}

/** Parses the lines of `sha256sum` into a map from file name to digest. */
export function parseChecksums(text) {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, digest, file] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
      if (digest === undefined) throw new Error(`Not a line of sha256sum: ${JSON.stringify(line)}`);
      return [file, digest];
    }),
  );
}
