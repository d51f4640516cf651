// Installs Debian packages for the tests.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { firstLine } from "./try-again.mjs";

/** Returns whether this process may install packages with apt. */
export function canInstall() {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

/** Updates the package lists. An unreachable source is not fatal: another one may have the package. */
export function updateLists() {
  try {
    apt("update");
  } catch (error) {
    process.stderr.write(`${firstLine(error)}; continuing with the existing package lists.\n`);
  }
}

/** Installs packages without the packages that they recommend. Throws if apt fails. */
export function install(...names) {
  apt("install", "-y", "--no-install-recommends", ...names);
}

/** Returns whether Debian packages can be downloaded and extracted without root. */
export function canDownload() {
  const tools = ["/usr/bin/apt-get", "/usr/bin/dpkg-deb", "/var/lib/dpkg/status"];
  return process.platform === "linux" && tools.every((path) => existsSync(path));
}

/**
 * Extracts packages and their missing dependencies into `folder`, which is replaced. Needs no root: apt keeps its lists
 * and archives in a temporary folder, so the system's may be missing or old. Throws if apt or dpkg fails.
 */
export function extract(folder, packages) {
  const work = `${folder}.${process.pid}`;
  const archives = join(work, "apt/cache/archives");
  rmSync(work, { recursive: true, force: true });
  for (const path of [join(work, "apt/state/lists/partial"), join(archives, "partial")])
    mkdirSync(path, { recursive: true });
  const own = [`Dir::State=${work}/apt/state`, `Dir::Cache=${work}/apt/cache`]
    .concat("Dir::State::status=/var/lib/dpkg/status", "Debug::NoLocking=1", "APT::Sandbox::User=")
    .flatMap((option) => ["-o", option]);
  try {
    apt(...own, "update");
    apt(...own, "install", "-y", "--no-install-recommends", "--download-only", ...packages);
    for (const name of readdirSync(archives).filter((file) => file.endsWith(".deb") && isNeeded(file)))
      execFileSync("dpkg-deb", ["-x", join(archives, name), work], { stdio: ["ignore", 2, 2] });
    rmSync(join(work, "apt"), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the library folders of extracted packages: `lib` and `usr/lib`, with those of the architecture. */
export function libraryFolders(folder) {
  return ["usr/lib", "lib"]
    .map((name) => join(folder, name))
    .filter((lib) => existsSync(lib))
    .flatMap((lib) => [
      ...readdirSync(lib).flatMap((name) => (name.includes("-linux-gnu") ? [join(lib, name)] : [])),
      lib,
    ]);
}

/**
 * Returns whether an archive is worth extracting. Leaves out the C library, which must be the running loader's; LLVM,
 * which compiles long queries; and the translations. LLVM and the translations are large and not used.
 */
function isNeeded(archive) {
  return !/^(?:libc6|libc-bin|libc-l10n|locales|libllvm\d+|libz3-\d+)_/.test(archive);
}

function apt(...args) {
  // Another apt process may be running, as on a machine that has just started.
  const patient = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "-qq"];
  execFileSync("apt-get", [...patient, ...args], {
    stdio: ["ignore", 2, 2],
    // In this run level, a package starts no service.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
}
