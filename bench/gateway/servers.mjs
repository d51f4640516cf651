// Starts PostgreSQL and Redis in temporary folders on free ports, for one measurement.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findServer } from "../../scripts/servers.mjs";
import { freePort } from "../proxy/start-proxy.mjs";

/** Starts Redis without files. Resolves to its URL and a function that ends it. */
export async function startRedis() {
  const { folder: bin, env } = findServer("redis");
  const folder = mkdtempSync(join(tmpdir(), "bench-redis-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const stop = await startServer(join(bin, "redis-server"), args, { env }, /Ready to accept/, folder);
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/** Starts PostgreSQL with its defaults. Resolves to the URL of an empty database and a function that ends it. */
export async function startPostgres() {
  const { folder: bin, env } = findServer("postgresql");
  const folder = mkdtempSync(join(tmpdir(), "bench-postgres-"));
  const port = await freePort();
  const password = `pg-${process.pid}`;
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password);
  const user = unprivilegedUser();
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const options = { ...user, env, cwd: "/" };
  const data = join(folder, "data");
  const access = ["-U", "sally", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  execFileSync(join(bin, "initdb"), ["-D", data, ...access, "--encoding=UTF8", "--locale=C"], {
    ...options,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", 2],
  });
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_wal_size=8GB"];
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((text) => ["-c", text])];
  const stop = await startServer(join(bin, "postgres"), args, options, /ready to accept connections/, folder);
  return { url: `postgres://sally:${password}@127.0.0.1:${port}/postgres`, stop };
}

async function startServer(program, args, options, ready, folder) {
  const child = spawn(program, args, {
    ...options,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((done) => child.once("close", done));
  const kill = () => child.kill("SIGQUIT");
  process.once("exit", kill);
  await new Promise((done, fail) => {
    let output = "";
    const read = (text) => {
      output = (output + text).slice(-2_000);
      if (ready.test(output)) done();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", fail);
    ended.then(() => fail(new Error(`${program} did not start: ${output}`)));
  });
  return async () => {
    process.off("exit", kill);
    kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** PostgreSQL does not run as root. */
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
  throw new Error("PostgreSQL does not run as root, and there is neither a user postgres nor nobody");
}
