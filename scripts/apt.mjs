// Installs Debian packages for the tests.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { firstLine } from "./try-again.mjs";

/** Returns whether this process may install packages with apt. */
export function canInstall() {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
}

/** Brings the package lists up to date. An unreachable source is not fatal: another one may have the package. */
export function updateLists() {
  try {
    apt("update");
  } catch (error) {
    process.stderr.write(`${firstLine(error)}; continuing with the existing package lists.\n`);
  }
}

/** Installs packages without those they recommend. Throws if apt fails. */
export function install(...names) {
  apt("install", "-y", "--no-install-recommends", ...names);
}

function apt(...args) {
  // Another apt process may be running, as on a machine that has just started.
  const patient = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "-qq"];
  execFileSync("apt-get", [...patient, ...args], {
    stdio: ["ignore", 2, 2],
    // In this run level a package starts no service.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
}
