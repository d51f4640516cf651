// Starts the built proxy for one measurement.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { urlIn } from "../../scripts/ready-url.mjs";

const PROGRAM = resolve(import.meta.dirname, "../../dist/sallyport.js");

/** Returns a port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/**
 * Starts a proxy with a configuration file; its data directory is below `folder`. Resolves to its URL, its process, and
 * a promise for its end.
 */
export async function startProxy({ folder, config, nodeArguments = [], env = {} }) {
  const port = String(await freePort());
  const ready = join(folder, `${port}.ready`);
  const flags = ["--config", config, "--port", port, "--ready-file", ready];
  const child = spawn(process.execPath, [...nodeArguments, PROGRAM, "proxy", "start", ...flags], {
    env: { PATH: process.env.PATH, HOME: folder, SERVICE_HOME: join(folder, "data"), ...env },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  // A measurement that fails must leave no proxy behind.
  process.once("exit", () => child.kill("SIGKILL"));
  return { url: await urlIn(ready), child, exited };
}
