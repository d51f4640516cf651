import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Bench, sallyport } from "./bench.ts";

/**
 * Runs `sallyport proxy start` as the bench's user, with this configuration in the default location; resolves to its
 * address. The proxy is stopped when the test ends.
 */
export async function startProxy(bench: Bench, proxy: object): Promise<string> {
  const folder = join(bench.home, ".config/sallyport");
  await mkdir(folder, { recursive: true });
  const ready = join(bench.home, "proxy-ready.json");
  await writeFile(join(folder, "config.json"), JSON.stringify({ proxy }));
  const args = [...sallyport.slice(1), "proxy", "start", "--ready-file", ready];
  const { SERVICE_PORT: _unused, ...environment } = bench.environment;
  const child = spawn(sallyport[0], args, { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let notes = "";
  child.stderr.on("data", (chunk) => {
    notes += chunk;
  });
  while (child.exitCode === null && child.signalCode === null) {
    try {
      return JSON.parse(await readFile(ready, "utf8")).url;
    } catch {
      await delay(25);
    }
  }
  throw new Error(`the proxy did not start:\n${notes}`);
}
