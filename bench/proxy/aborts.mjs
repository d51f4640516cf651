// Counts the upstream streams that are open after ten thousand clients have disconnected, and measures the time until
// the last one is closed.
//   npm run build && node bench/proxy/aborts.mjs [--clients 10000]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { urlIn } from "../../scripts/ready-url.mjs";
import { memoryOf } from "./subjects.mjs";

const { values: flags } = parseArgs({ options: { clients: { type: "string", default: "10000" } } });
const total = Number(flags.clients);
const folder = mkdtempSync(join(tmpdir(), "sallyport-aborts-"));
let open = 0;
let seen = 0;
const upstream = createServer((incoming, response) => {
  open += 1;
  seen += 1;
  response.once("close", () => {
    open -= 1;
  });
  incoming.resume();
  // Half of the clients disconnect before the response headers, the others within the stream.
  if (seen % 2 === 0) return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('event: message_start\ndata: {"type":"message_start"}\n\n');
});
await new Promise((done) => upstream.listen(0, "127.0.0.1", done));
const config = join(folder, "config.json");
const ready = join(folder, "ready.json");
const base_url = `http://127.0.0.1:${upstream.address().port}`;
writeFileSync(config, JSON.stringify({ proxy: { upstreams: { a: { dialect: "messages", base_url } } } }));
const command = resolve(import.meta.dirname, "../../dist/sallyport.js");
const args = [command, "proxy", "start", "--config", config, "--port", "18950", "--ready-file", ready];
const proxy = spawn(process.execPath, args, {
  env: { PATH: process.env.PATH, HOME: folder },
  stdio: "ignore",
});
const url = (await urlIn(ready)).replace("localhost", "127.0.0.1");

/** Requests a stream, and disconnects at its first data, or else after 200 to 300 ms. */
function leave() {
  return new Promise((done) => {
    const before = seen;
    const call = request(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    call.on("response", (response) => response.once("data", () => call.destroy()));
    call.on("error", () => {});
    call.on("close", done);
    call.end('{"model":"m","stream":true}');
    setTimeout(() => call.destroy(), 200 + (before % 100)).unref();
  });
}

try {
  for (let left = total; left > 0; left -= 100)
    await Promise.all(Array.from({ length: Math.min(100, left) }, leave));
  const began = performance.now();
  while (open > 0 && performance.now() - began < 5_000) await delay(5);
  const waited = Math.round(performance.now() - began);
  console.log(
    `${total} clients disconnected, ${seen} calls had reached the upstream, ${open} upstream streams are open (${waited} ms after the last)`,
  );
  console.log(`memory of the proxy: ${memoryOf(proxy.pid).toFixed(0)} MB`);
  process.exitCode = open === 0 ? 0 : 1;
} finally {
  proxy.kill();
  await new Promise((done) => proxy.once("exit", done));
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
