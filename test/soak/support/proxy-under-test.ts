import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Agent, fetch } from "undici";
import { quietPort } from "../../support/quiet-port.ts";
import { DIALECTS } from "../../support/vendor-responses.ts";

const COMMAND = resolve(import.meta.dirname, "../../../dist/sallyport.js");
const PROBE = resolve(import.meta.dirname, "probe.mjs");

/** The resources of the process after a full garbage collection. */
export interface Holding {
  readonly heapUsed: number;
  readonly rss: number;
  readonly sockets: number;
  readonly files: number;
}

export interface ProxyUnderTest {
  readonly url: string;
  probe(): Promise<Holding>;
  /** Resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** The built command in a separate process, with the vendor as upstream of every dialect and as MCP server. */
export async function startProxyUnderTest(folder: string, vendorUrl: string): Promise<ProxyUnderTest> {
  const config = join(folder, "config.json");
  const data = join(folder, "data");
  const upstreams = DIALECTS.map((dialect) => [
    dialect,
    { dialect, base_url: vendorUrl, models: [`to-${dialect}`] },
  ]);
  const mcp = { vendor: { url: `${vendorUrl}/mcp` } };
  await writeFile(config, JSON.stringify({ proxy: { upstreams: Object.fromEntries(upstreams), mcp } }));
  const port = await quietPort();
  const args = ["--expose-gc", "--import", PROBE, COMMAND, "proxy", "start"];
  const child = spawn(process.execPath, [...args, "--config", config, "--port", String(port)], {
    env: { PATH: process.env["PATH"], HOME: folder, SERVICE_HOME: data },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const ended = once(child, "close");
  while (!output.includes("Proxy listening")) {
    if (child.exitCode !== null) throw new Error(`the proxy did not start: ${output}`);
    await Promise.race([once(child.stderr ?? child, "data"), ended]);
  }
  const url = `http://127.0.0.1:${port}`;
  await untilDatabaseIsOpen(url, data);
  return {
    url,
    async probe() {
      if (child.exitCode !== null) throw new Error(`the proxy has ended: ${output}`);
      const messages = on(child, "message");
      child.send("what is left?");
      for await (const [message] of messages) {
        // The proxy reports on the same channel that it is ready.
        if ("heapUsed" in message) return message as Holding;
      }
      throw new Error("the channel to the proxy has closed");
    },
    async stop() {
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}

/** Waits for the database, which opens after the listener, so that its open files do not count as a leak. */
async function untilDatabaseIsOpen(url: string, dataDirectory: string): Promise<void> {
  const connection = new Agent();
  for (;;) {
    // The first start writes the admin key once the database is open.
    const key = await readFile(join(dataDirectory, "proxy", "admin-key"), "utf8").catch(() => undefined);
    if (key !== undefined) {
      const headers = { authorization: `Bearer ${key.trim()}` };
      const response = await fetch(`${url}/api/admin/v1/health`, { headers, dispatcher: connection });
      const { database } = (await response.json()) as { database: { status: string } };
      if (database.status === "ok") return connection.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
