// Builds a single executable for this platform: Node.js, the command, its code cache and the pages in one file that
// needs nothing beside it. See https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
//   node scripts/build-binary.mjs [--output dist/bin/sallyport]
// Node's own program is what is filled, so the result is for the platform and architecture (linux, macOS, Windows; x64,
// arm64) that this runs on; run it on each. The signature for this machine is made here; to give the program to others,
// sign it with your own identity afterwards (`codesign --sign … --options runtime`, `signtool sign …`).
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleParts, bundleStart, packageVersion, quietly, recordCache, root } from "./bundle.mjs";

const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const mac = process.platform === "darwin";
const { values } = parseArgs({
  options: {
    output: { type: "string", default: `dist/bin/sallyport${process.platform === "win32" ? ".exe" : ""}` },
  },
});
const output = resolve(root, values.output);
const work = mkdtempSync(join(tmpdir(), "sallyport-binary-"));

try {
  execFileSync(process.execPath, ["scripts/build.mjs", "--web-only"], { cwd: root, stdio: ["ignore", 2, 2] });
  await bundleParts(join(work, "parts"), true);
  await bundleStart("executable", join(work, "start.cjs"));
  recordCache(join(work, "parts"), join(work, "cache"));
  inject(makeBlob());
  check();
  console.error(`${relative(root, output)} is built for ${process.platform} ${process.arch}.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The pages go in under the names that src/http/page-source.ts asks for, the parts under those of the loader. */
function makeBlob() {
  const config = {
    main: join(work, "start.cjs"),
    output: join(work, "sallyport.blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: {
      ...filesIn(resolve(root, "dist/web")),
      ...filesIn(join(work, "parts"), "parts/"),
      ...filesIn(join(work, "cache"), "cache/"),
    },
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  quietly(process.execPath, ["--experimental-sea-config", join(work, "sea.json")]);
  return config.output;
}

/** Name → path of every file below `folder`. */
function filesIn(folder, prefix = "") {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const nameOf = (path) => `${prefix}${relative(folder, path).replaceAll("\\", "/")}`;
  return Object.fromEntries(paths.map((path) => [nameOf(path), path]));
}

function inject(blob) {
  mkdirSync(dirname(output), { recursive: true });
  // Into a new file: an executable that runs at the moment cannot be written to.
  rmSync(output, { force: true });
  copyFileSync(process.execPath, output);
  chmodSync(output, 0o755);
  // The copy's signature is void once the blob is in; macOS runs nothing unsigned.
  if (mac) quietly("codesign", ["--remove-signature", output]);
  const postject = resolve(root, "node_modules/postject/dist/cli.js");
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  quietly(process.execPath, [postject, output, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  if (mac) quietly("codesign", ["--sign", "-", output]);
}

/** A program that does not start shall be noticed here, not by whoever is given it. */
function check() {
  const version = packageVersion();
  const said = execFileSync(output, ["--version"], { encoding: "utf8" }).trim();
  if (said !== version) throw new Error(`${output} --version says "${said}", not ${version}`);
}
