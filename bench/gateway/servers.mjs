// Starts PostgreSQL and Redis in temporary folders on free ports, for one measurement.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresData, findServer } from "../../scripts/servers.mjs";
import { freePort } from "../proxy/start-proxy.mjs";

/** Starts Redis without persistence. Resolves to its URL and a function that ends it. */
export async function startRedis() {
  const { folder: bin, env } = findServer("redis");
  const folder = mkdtempSync(join(tmpdir(), "bench-redis-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const stop = await startServer(join(bin, "redis-server"), args, { env }, /Ready to accept/, folder);
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/**
 * Starts PostgreSQL with its defaults, except for a larger `max_wal_size`. Resolves to the URL of an empty database and
 * a function that ends it.
 */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "bench-postgres-"));
  const port = await freePort();
  const password = `pg-${process.pid}`;
  const { command, options } = createPostgresData(folder, password);
  const [program, ...args] = [...command, "-p", String(port), "-c", "max_wal_size=8GB"];
  const stop = await startServer(program, args, options, /ready to accept connections/, folder);
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
