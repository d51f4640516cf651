// Prints how fast the built proxy responds to /healthz, and how much memory it takes, with many clients at once:
// - stalled: clients of a translated stream that never read, while the upstream sends as fast as it can;
// - streams: clients of a translated stream of one event a second.
//   npm run build && node bench/proxy/crowds.mjs [--stalled 200] [--streams 2000] [--seconds 20]
// On two cores, the load takes part of the CPU time of the proxy, so that the figures are too high.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProxy } from "./start-proxy.mjs";
import { memoryOf } from "./subjects.mjs";

const { values: flags } = parseArgs({
  options: {
    stalled: { type: "string", default: "200" },
    streams: { type: "string", default: "2000" },
    seconds: { type: "string", default: "20" },
  },
});
const SECONDS = Number(flags.seconds);
const folder = mkdtempSync(join(tmpdir(), "sallyport-crowds-"));
const event = (text) => `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;
const END = 'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

let isPaced = false;
const upstream = createServer({ keepAlive: true }, async (incoming, response) => {
  for await (const _ of incoming);
  response.on("error", () => {});
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (isPaced) {
    for (let second = 0; second < SECONDS; second += 1) {
      response.write(event("x"));
      await delay(1_000);
    }
    response.end(END);
    return;
  }
  const flood = event("x".repeat(200)).repeat(200);
  const send = () => {
    while (!response.destroyed && response.write(flood));
  };
  response.on("drain", send);
  send();
});
upstream.listen(0, "127.0.0.1", 4096);
await once(upstream, "listening");

const config = join(folder, "config.json");
const base_url = `http://127.0.0.1:${upstream.address().port}`;
const c = { dialect: "chat-completions", base_url, models: ["m"] };
const limits = { connections: 10_000, in_flight: 1_073_741_824 };
writeFileSync(config, JSON.stringify({ proxy: { auth_mode: "off", limits, upstreams: { c } } }));

const BODY = JSON.stringify({
  model: "m",
  max_tokens: 5,
  stream: true,
  messages: [{ role: "user", content: "x" }],
});

/** Sends a request and reads nothing of its response. Returns a function that closes the connection. */
function stall(url) {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.pause();
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  return () => socket.destroy();
}

/**
 * Resolves to the milliseconds until the response's head and whether the stream is complete, or to the code of an
 * error.
 */
function read(url) {
  return new Promise((done) => {
    const began = performance.now();
    const sent = request(
      new URL("/v1/messages", url),
      { method: "POST", agent: false, headers: { "content-type": "application/json" } },
      (response) => {
        const head = performance.now() - began;
        let last = "";
        response.on("data", (chunk) => {
          last = (last + chunk).slice(-200);
        });
        response.on("close", () => done({ head, isWhole: last.includes("message_stop") }));
      },
    );
    sent.on("error", ({ code }) => done({ code, isWhole: false }));
    sent.end(BODY);
  });
}

async function probe(url, isOver) {
  const times = [];
  while (!isOver()) {
    const began = performance.now();
    await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(30_000) }).catch(() => {});
    times.push(performance.now() - began);
    await delay(100);
  }
  return times.sort((a, b) => a - b);
}

const show = (times) =>
  `/healthz p50 ${times[times.length >> 1].toFixed(0)} ms, longest ${times.at(-1).toFixed(0)} ms (${times.length} requests)`;

async function measure(name, act) {
  const { url: address, child, exited } = await startProxy({ folder, config });
  const url = new URL(address);
  let isOver = false;
  const times = probe(url, () => isOver);
  const outcome = await act(url);
  const memory = memoryOf(child.pid);
  isOver = true;
  console.log(`${name}: ${show(await times)}; ${memory.toFixed(0)} MB; ${outcome}`);
  child.kill("SIGKILL");
  await exited;
}

try {
  await measure(`${flags.stalled} stalled clients`, async (url) => {
    const ends = Array.from({ length: Number(flags.stalled) }, () => stall(url));
    await delay(SECONDS * 1_000);
    for (const end of ends) end();
    return "the upstream sends at full speed";
  });
  isPaced = true;
  await measure(`${flags.streams} streams`, async (url) => {
    const results = await Promise.all(Array.from({ length: Number(flags.streams) }, () => read(url)));
    const heads = results.flatMap(({ head = [] }) => head).sort((a, b) => a - b);
    const codes = [...new Set(results.flatMap(({ code = [] }) => code))].join(", ");
    const whole = results.filter(({ isWhole }) => isWhole).length;
    return `${whole} whole${codes && `, others ${codes}`}; head after p50 ${heads[heads.length >> 1].toFixed(0)} ms, longest ${heads.at(-1).toFixed(0)} ms`;
  });
} finally {
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
