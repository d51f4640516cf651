// Builds a single executable for this platform: node, the command (with its code cache) and the pages in one file
// that needs neither Node.js nor anything beside it. See https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html
//   node scripts/build-binary.mjs [--output dist/bin/sallyport]
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { bundleCommand, root } from "./bundle.mjs";

const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const windows = process.platform === "win32";
const { values } = parseArgs({
  options: { output: { type: "string", default: `dist/bin/sallyport${windows ? ".exe" : ""}` } },
});
const output = resolve(root, values.output);
const work = mkdtempSync(join(tmpdir(), "sallyport-binary-"));

try {
  execFileSync(process.execPath, [resolve(root, "scripts/build.mjs"), "--web-only"], { stdio: "inherit" });
  await bundle();
  const blob = makeBlob();
  inject(blob);
  console.error(`${relative(root, output)} is built for ${process.platform} ${process.arch}.`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** One CommonJS script; modules that are loaded lazily stay lazy inside it. */
function bundle() {
  return bundleCommand({
    file: join(work, "sallyport.cjs"),
    format: "cjs",
    codeSplitting: false,
    minify: true,
  });
}

/** The pages go in under the names that src/http/page-source.ts asks for. */
function makeBlob() {
  const pages = resolve(root, "dist/web");
  const files = readdirSync(pages, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const assets = Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(pages, path).replaceAll("\\", "/"), path];
    }),
  );
  const config = {
    main: join(work, "sallyport.cjs"),
    output: join(work, "sallyport.blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets,
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", join(work, "sea.json")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return config.output;
}

function inject(blob) {
  mkdirSync(dirname(output), { recursive: true });
  copyFileSync(process.execPath, output);
  // The copy's signature is void once the blob is in; macOS runs nothing unsigned.
  if (process.platform === "darwin") execFileSync("codesign", ["--remove-signature", output]);
  const postject = resolve(root, "node_modules/postject/dist/cli.js");
  const segment = process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : [];
  execFileSync(
    process.execPath,
    [postject, output, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", output]);
}
