// Builds a container image of the proxy without a container engine: an OCI image layout in one tar file.
//   npm run build:image [-- --output dist/image/sallyport.oci.tar --executable dist/bin/sallyport]
// Load it with `podman load -i FILE`, `docker load -i FILE` or `skopeo copy oci-archive:FILE docker://…`.
// The image has three layers: the C libraries that Node.js needs, from Debian's packages; users and folders;
// the executable. It has no shell, runs as user 10001, and can run on a read-only file system. The build needs apt-get,
// dpkg-deb and tar, and runs on Linux only.
// Format: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { packageVersion, root } from "./bundle.mjs";

/** The packages of the libraries that `node` links to. The license of GCC's libraries is in `gcc-N-base`. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];
const USER = 10_001;

const { values } = parseArgs({
  options: {
    output: { type: "string", default: "dist/image/sallyport.oci.tar" },
    executable: { type: "string", default: "dist/bin/sallyport" },
  },
});
const output = resolve(root, values.output);
const executable = resolve(root, values.executable);
const architecture = { x64: "amd64", arm64: "arm64" }[process.arch];

expectParts();
const work = mkdtempSync(join(tmpdir(), "sallyport-image-"));
try {
  const layers = [
    layer("libraries", addLibraries),
    layer("folders", addFolders),
    layer("command", addCommand),
  ];
  writeLayout(join(work, "layout"), layers);
  mkdirSync(dirname(output), { recursive: true });
  archive(join(work, "layout"), output);
  process.stdout.write(`${relative(root, output)}: ${Math.round(statSync(output).size / 1e6)} MB\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function expectParts() {
  if (process.platform !== "linux" || architecture === undefined)
    throw new Error("An image can be built on Linux (x64, arm64) only. Use deploy/Dockerfile elsewhere.");
  if (!existsSync(executable)) throw new Error(`${executable} is missing: run npm run build:binary first.`);
  if (!existsSync("/usr/bin/apt-get"))
    throw new Error(
      "apt-get is missing: the image's libraries are Debian packages. Use deploy/Dockerfile instead.",
    );
}

/** Returns a compressed layer of the files that `fill` writes into a folder. The same files make the same layer. */
function layer(name, fill) {
  const folder = join(work, name);
  mkdirSync(folder);
  fill(folder);
  const file = join(work, `${name}.tar`);
  archive(folder, file);
  const tar = readFileSync(file);
  const data = gzipSync(tar, { level: 6 });
  return { diffId: digest(tar), data };
}

function addLibraries(folder) {
  const packages = join(work, "packages");
  mkdirSync(packages);
  execFileSync("apt-get", ["download", "-qq", ...LIBRARIES.concat(licensePackage())], {
    cwd: packages,
    stdio: ["ignore", 2, 2],
  });
  for (const file of readdirSync(packages)) {
    const extracted = join(work, "extracted");
    execFileSync("dpkg-deb", ["-x", join(packages, file), extracted]);
    for (const part of ["lib", "lib64", "usr/lib"])
      if (existsSync(join(extracted, part)))
        cpSync(join(extracted, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
    for (const name of readdirSync(join(extracted, "usr/share/doc"))) {
      const copyright = join(extracted, "usr/share/doc", name, "copyright");
      if (!existsSync(copyright)) continue;
      mkdirSync(join(folder, "usr/share/doc", name), { recursive: true });
      copyFileSync(copyright, join(folder, "usr/share/doc", name, "copyright"));
    }
    rmSync(extracted, { recursive: true });
  }
  // Node.js uses neither the converters between character sets nor the loader's audit modules.
  for (const name of readdirSync(folder, { recursive: true }))
    if (/\/(?:gconv|audit)$/.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Returns the name of `gcc-N-base`, whose number differs between versions of Debian. */
function licensePackage() {
  const dependencies = execFileSync("apt-cache", ["depends", "libgcc-s1"], { encoding: "utf8" });
  return /gcc-\d+-base/.exec(dependencies)?.[0] ?? [];
}

function addFolders(folder) {
  for (const name of ["etc/sallyport", "data", "tmp", "proc", "sys", "dev"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, "etc/passwd"),
    `root:x:0:0:root:/:/sbin/nologin\nsallyport:x:${USER}:${USER}::/data:/sbin/nologin\n`,
  );
  writeFileSync(join(folder, "etc/group"), `root:x:0:\nsallyport:x:${USER}:\n`);
  writeFileSync(join(folder, "etc/nsswitch.conf"), "hosts: files dns\n");
}

function addCommand(folder) {
  mkdirSync(join(folder, "usr/local/bin"), { recursive: true });
  copyFileSync(executable, join(folder, "usr/local/bin/sallyport"));
}

function writeLayout(folder, layers) {
  const blobs = join(folder, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const add = (mediaType, data) => {
    const id = digest(data);
    writeFileSync(join(blobs, id.slice("sha256:".length)), data);
    return { mediaType, digest: id, size: data.length };
  };
  const addJson = (mediaType, value) => add(mediaType, Buffer.from(JSON.stringify(value)));
  const config = addJson("application/vnd.oci.image.config.v1+json", {
    architecture,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      Env: ["PATH=/usr/local/bin", "SERVICE_HOME=/data", "HOME=/data", "MALLOC_ARENA_MAX=1"],
      Entrypoint: ["/usr/local/bin/sallyport"],
      Cmd: ["proxy", "start", "--config", "/etc/sallyport/config.json"],
      ExposedPorts: { "8045/tcp": {} },
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      StopSignal: "SIGTERM",
      Labels: {
        "org.opencontainers.image.title": "sallyport",
        "org.opencontainers.image.version": packageVersion(),
        "org.opencontainers.image.licenses": "MIT",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = addJson("application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers: layers.map(({ data }) => add("application/vnd.oci.image.layer.v1.tar+gzip", data)),
  });
  const named = {
    ...manifest,
    platform: { architecture, os: "linux" },
    annotations: { "org.opencontainers.image.ref.name": `sallyport:${packageVersion()}` },
  };
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [named],
  };
  writeFileSync(join(folder, "index.json"), JSON.stringify(index));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

/**
 * Writes a tar file whose bytes depend only on names, contents and execute permissions. `data` and `tmp` belong to
 * `USER`, everything else to root.
 */
function archive(folder, file) {
  const plain = ["--sort=name", "--mtime=@0", "--numeric-owner", "--format=gnu", "-C", folder];
  const owned = ["data", "tmp"].filter((name) => existsSync(join(folder, name)));
  const modes = "--mode=u+rwX,go+rX,go-w";
  execFileSync("tar", [
    ...plain,
    modes,
    "--owner=0",
    "--group=0",
    ...owned.map((name) => `--exclude=./${name}`),
    "-cf",
    file,
    ".",
  ]);
  if (owned.length > 0)
    execFileSync("tar", [
      ...plain,
      modes,
      `--owner=${USER}`,
      `--group=${USER}`,
      "-rf",
      file,
      ...owned.map((name) => `./${name}`),
    ]);
}

function digest(data) {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}
