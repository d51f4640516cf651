// Finds or installs the servers that tests start, Redis and PostgreSQL: the system's, the package manager's or, if this
// process may not install packages, those extracted from Debian packages.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { canDownload, canInstall, extract, install, libraryFolders, updateLists } from "./apt.mjs";
import { firstLine, tryAgain } from "./try-again.mjs";

const SERVERS = {
  redis: {
    title: "Redis",
    programs: ["redis-server"],
    package: "redis-server",
    howTo: "Debian, Ubuntu: sudo apt-get install redis-server; macOS: brew install redis",
  },
  postgresql: {
    title: "PostgreSQL",
    programs: ["postgres", "initdb"],
    package: "postgresql",
    howTo: "Debian, Ubuntu: sudo apt-get install postgresql; macOS: brew install postgresql",
  },
};
const names = Object.keys(SERVERS);
const extracted = resolve(import.meta.dirname, "../.cache/servers");

/**
 * Returns the folder of an installed server's programs and the environment that they need. Throws an error that names
 * the missing package.
 */
export function findServer(name, path = process.env.PATH ?? "", folder = extracted) {
  const { title, programs, howTo } = SERVERS[name];
  const folders = [
    ...path.split(delimiter).filter(Boolean),
    ...versions("/usr/lib/postgresql"),
    ...versions("/opt/homebrew/opt", "postgresql@"),
    ...versions("/usr/local/opt", "postgresql@"),
  ];
  const hasAll = (bin) => programs.every((program) => existsSync(join(bin, program)));
  const installed = folders.find(hasAll);
  if (installed) return { folder: installed, env: {} };
  const own = [join(folder, "usr/bin"), ...versions(join(folder, "usr/lib/postgresql"))].find(hasAll);
  if (own) return { folder: own, env: { LD_LIBRARY_PATH: libraryFolders(folder).join(delimiter) } };
  throw new Error(`${title} is not installed. Install it (${howTo}), then run: npm test`);
}

/**
 * Ensures that the programs of all servers start, and installs those that are missing. Throws an error with the reason
 * for each server whose programs do not start.
 */
export async function ensureServers() {
  const missing = names.filter((name) => !runs(name));
  if (missing.length === 0) return;
  const packages = missing.map((name) => SERVERS[name].package);
  const failures = [];
  for (const bring of [asRoot, withoutRoot]) {
    try {
      await bring(packages);
    } catch (error) {
      failures.push(firstLine(error));
    }
    if (missing.every(runs)) return;
  }
  const remedies = missing.filter((name) => !runs(name)).map(whyNot);
  throw new Error([...remedies, ...failures].join("\n"));
}

async function asRoot(packages) {
  if (!canInstall()) return;
  process.stderr.write(`Installing the packages ${packages.join(", ")} for the tests …\n`);
  await tryAgain("Installing the packages", () => {
    updateLists();
    install(...packages);
  });
}

async function withoutRoot() {
  if (!canDownload()) return;
  // Extracts the packages of all servers, because extraction replaces the folder. apt leaves out packages that the
  // system has.
  const packages = names.map((name) => SERVERS[name].package);
  process.stderr.write(`Downloading the packages ${packages.join(", ")} for the tests (once) …\n`);
  await tryAgain("Downloading the packages", () => extract(extracted, packages));
}

function runs(name) {
  return whyNot(name) === undefined;
}

/** Returns why a server cannot be started, or undefined. */
function whyNot(name) {
  try {
    const { folder, env } = findServer(name);
    for (const program of SERVERS[name].programs)
      execFileSync(join(folder, program), ["--version"], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "ignore", "pipe"],
        timeout: 120_000,
      });
    return undefined;
  } catch (error) {
    return String(error.stderr ?? "").trim() || error.message;
  }
}

/** Returns the `bin` folders of the versions in a folder, newest first. */
function versions(folder, prefix = "") {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const number = (name) => Number.parseFloat(name.slice(prefix.length)) || 0;
  return found.sort((a, b) => number(b) - number(a)).map((name) => join(folder, name, "bin"));
}

/**
 * Creates the data of a PostgreSQL server in an empty folder, with the user `sally` and a password. `flags` are
 * additional flags of initdb. Returns the command of the server, without its port, and the options with which it is
 * spawned.
 */
export function createPostgresData(folder, password, flags = []) {
  const { folder: bin, env } = findServer("postgresql");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  const user = unprivilegedUser();
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const options = { ...user, env: { ...process.env, ...env }, cwd: "/" };
  const data = join(folder, "data");
  const access = ["-U", "sally", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  execFileSync(join(bin, "initdb"), ["-D", data, ...access, ...flags, "--encoding=UTF8", "--locale=C"], {
    ...options,
    stdio: ["ignore", "ignore", 2],
  });
  const settings = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
  return { command: [join(bin, "postgres"), "-D", data, ...settings], options };
}

/** Returns a user for PostgreSQL, which refuses to run as root; undefined if this process is not root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag, name) =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {
      // There is no such user.
    }
  }
  throw new Error(
    'Cannot start PostgreSQL as root: neither the user "postgres" nor the user "nobody" exists. Create one, or run the tests as another user.',
  );
}
