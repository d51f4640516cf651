// Builds a single executable: Node.js, the command, its code cache and the pages in one file that needs nothing beside
// it. See https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
//   node scripts/build-binary.mjs [--output dist/bin/sallyport] [--node FILE] [--node-license FILE] [--built]
// --node names another machine's node or node.exe, --node-license its license where it does not lie beside it; --built takes
// the pages and licenses of dist/ as they are.
// Node's own program is what is filled: the one that runs this, for this platform and processor, or one of the same version
// for another (linux or Windows, x64 or arm64; macOS on macOS alone, where programs are signed). The latter goes without a
// code cache, which V8 makes on the same machine only, and is not run here. The signature for this machine is made here; to
// give the program to others, sign it with your own identity afterwards (`codesign …`, `signtool sign …`).
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
import { bundleParts, bundleStart, packageVersion, quietly, recordCache, root } from "./bundle.mjs";
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
  await bundleParts(join(work, "parts"), true);
  await bundleStart("executable", join(work, "start.cjs"));
  if (isOwn) recordCache(join(work, "parts"), join(work, "cache"));
  const blob = makeBlob();
  inject(blob);
  check(blob);
  const note = isOwn ? "" : " It was not run: this machine is another.";
  console.error(`${relative(root, output)} is built for ${target.platform} ${target.arch}.${note}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function targetOf(program) {
  const target = nodeProgram(readFileSync(program));
  if (target.version !== process.versions.node)
    throw new Error(
      `${program} is Node.js ${target.version}; it has to be ${process.versions.node}, as what runs this`,
    );
  if (target.platform === "darwin" && process.platform !== "darwin")
    throw new Error("macOS runs nothing unsigned, and only macOS signs: build it there");
  return target;
}

function defaultName() {
  const suffix = target.platform === "win32" ? ".exe" : "";
  return `dist/bin/sallyport${isOwn ? "" : `-${target.platform}-${target.arch}`}${suffix}`;
}

/** Our license, those of the packages, and that of the Node.js which is filled. */
function licenses() {
  const ours = ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"].map((file) =>
    readFileSync(resolve(root, file), "utf8"),
  );
  const node = values["node-license"]
    ? readFileSync(values["node-license"], "utf8")
    : nodeLicense(values.node);
  return [...ours, `Node.js ${target.version}\n\n${node}`].join(`\n${"=".repeat(80)}\n\n`);
}

/** The pages go in under the names that src/http/page-source.ts asks for, the parts under those of the loader. */
function makeBlob() {
  const config = {
    main: join(work, "start.cjs"),
    output: join(work, "sallyport.blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: isOwn,
    assets: {
      ...filesIn(resolve(root, "dist/web")),
      "licenses.txt": join(work, "licenses.txt"),
      ...filesIn(join(work, "parts"), "parts/"),
      ...(isOwn ? filesIn(join(work, "cache"), "cache/") : {}),
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
  copyFileSync(values.node, output);
  chmodSync(output, 0o755);
  // The copy's signature is void once the blob is in; macOS runs nothing unsigned.
  if (mac) quietly("codesign", ["--remove-signature", output]);
  const postject = resolve(root, "node_modules/postject/dist/cli.js");
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  quietly(process.execPath, [postject, output, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment]);
  if (mac) quietly("codesign", ["--sign", "-", output]);
}

/** A program that does not start shall be noticed here, not by whoever is given it. */
function check(blob) {
  expectFilled(readFileSync(output), readFileSync(blob));
  if (!isOwn) return;
  const version = packageVersion();
  const printed = execFileSync(output, ["--version"], { encoding: "utf8" }).trim();
  if (printed !== version) throw new Error(`${output} --version prints "${printed}", not ${version}`);
}
