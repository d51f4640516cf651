// Builds a single executable: Node.js, the command and the pages in one file. See
// https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
//   node scripts/build-binary.mjs [--output dist/bin/sallyport] [--node FILE] [--node-license FILE] [--built]
// --node names another machine's node or node.exe, --node-license its license if the script does not find it; --built
// uses the existing pages, workers and licenses of dist/.
// The base is the running Node.js, or one of the same version for another platform (Linux or Windows, x64 or arm64;
// macOS only on macOS, where the build can sign it). An executable for another platform is not run. For macOS,
// the script adds an ad hoc signature; other executables are unsigned. To distribute the program, sign it with your
// identity (`codesign …`, `signtool sign …`).
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleParts, bundleStart, packageVersion, quietly, root } from "./bundle.mjs";
import { nodeLicense } from "./licenses.mjs";
import { expectFilled, FUSE, nodeProgram } from "./node-program.mjs";

const { values } = parseArgs({
  options: {
    output: { type: "string" },
    node: { type: "string", default: process.execPath },
    "node-license": { type: "string" },
    built: { type: "boolean" },
  },
});
const target = targetOf(values.node);
const isOwn = target.platform === process.platform && target.arch === process.arch;
const mac = target.platform === "darwin";
const output = resolve(root, values.output ?? defaultName());
const work = mkdtempSync(join(tmpdir(), "sallyport-binary-"));

try {
  if (!values.built)
    execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
  writeFileSync(join(work, "licenses.txt"), licenses());
  writeFileSync(join(work, "docs.json"), JSON.stringify(docsPages()));
  await bundleParts(join(work, "parts"), true);
  await bundleStart("executable", join(work, "start.cjs"), join(work, "parts"));
  const blob = makeBlob();
  inject(blob);
  check(blob);
  const note = isOwn ? "" : " It was not run: it is for another platform.";
  console.error(`${relative(root, output)} is built for ${target.platform} ${target.arch}.${note}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function targetOf(program) {
  const target = nodeProgram(readFileSync(program));
  if (target.version !== process.versions.node)
    throw new Error(
      `${program} is Node.js ${target.version}. Pass the version that runs this script: ${process.versions.node}`,
    );
  if (target.platform === "darwin" && process.platform !== "darwin")
    throw new Error(
      "Cannot build for macOS on another platform: macOS runs only signed programs. Build on a Mac.",
    );
  return target;
}

function defaultName() {
  const suffix = target.platform === "win32" ? ".exe" : "";
  return `dist/bin/sallyport${isOwn ? "" : `-${target.platform}-${target.arch}`}${suffix}`;
}

/** Returns the pages of the documentation by name, as src/cli/docs.ts reads them. */
function docsPages() {
  const pages = Object.entries(filesIn(resolve(root, "docs"))).filter(([name]) => name.endsWith(".md"));
  return Object.fromEntries(
    pages.map(([name, path]) => [name.slice(0, -".md".length), readFileSync(path, "utf8")]).sort(),
  );
}

/** Returns the licenses of Sallyport, of the bundled packages and of the base Node.js. */
function licenses() {
  const ours = ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"].map((file) =>
    readFileSync(resolve(root, file), "utf8"),
  );
  const node = values["node-license"]
    ? readFileSync(values["node-license"], "utf8")
    : nodeLicense(values.node);
  return [...ours, `Node.js ${target.version}\n\n${node}`].join(`\n${"=".repeat(80)}\n\n`);
}

/**
 * Writes the blob with the program and its assets, and returns its path. Pages have the names that
 * src/http/page-source.ts uses, parts those that the loader uses.
 */
function makeBlob() {
  const config = {
    main: join(work, "start.cjs"),
    output: join(work, "sallyport.blob"),
    disableExperimentalSEAWarning: true,
    assets: {
      ...filesIn(resolve(root, "dist/web")),
      "licenses.txt": join(work, "licenses.txt"),
      "docs.json": join(work, "docs.json"),
      ...filesIn(join(work, "parts"), "parts/"),
      ...filesIn(resolve(root, "dist/workers"), "workers/"),
    },
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  quietly(process.execPath, ["--experimental-sea-config", join(work, "sea.json")]);
  return config.output;
}

/** Returns name → path for every file below `folder`. */
function filesIn(folder, prefix = "") {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const nameOf = (path) => `${prefix}${relative(folder, path).replaceAll("\\", "/")}`;
  return Object.fromEntries(paths.map((path) => [nameOf(path), path]));
}

function inject(blob) {
  mkdirSync(dirname(output), { recursive: true });
  // A new file, because a running executable cannot be overwritten.
  rmSync(output, { force: true });
  copyFileSync(values.node, output);
  chmodSync(output, 0o755);
  // Adding the blob invalidates the signature, and macOS runs only signed programs.
  if (mac) quietly("codesign", ["--remove-signature", output]);
  const postject = resolve(root, "node_modules/postject/dist/cli.js");
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  quietly(process.execPath, [postject, output, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  if (mac) quietly("codesign", ["--sign", "-", output]);
}

/** Throws unless the executable contains the blob and, if it is for this platform, prints its version. */
function check(blob) {
  expectFilled(readFileSync(output), readFileSync(blob));
  if (!isOwn) return;
  const version = packageVersion();
  const printed = execFileSync(output, ["--version"], { encoding: "utf8" }).trim();
  if (printed !== version) throw new Error(`${output} --version prints "${printed}", not ${version}`);
}
