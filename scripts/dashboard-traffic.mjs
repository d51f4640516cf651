// Runs a proxy with simulated clients and vendors, for the screenshots of its dashboard.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { urlIn } from "./ready-url.mjs";

const root = resolve(import.meta.dirname, "..");
const CALLS = [
  ["claude-opus-5-5", 3],
  ["claude-sonnet-5-5", 9],
  ["fast", 4],
  ["claude-haiku-5-5", 6],
  ["gpt-5.4", 2],
];

/**
 * Runs the built proxy in the folder `home`, sends calls, and passes its address and its admin key to `use` while one
 * call is running.
 */
export async function withBusyProxy(home, use) {
  const vendor = createServer(respond);
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const base_url = `http://127.0.0.1:${vendor.address().port}`;
  const [config, ready] = [join(home, "proxy.json"), join(home, "proxy-ready.json")];
  const upstreams = {
    anthropic: { dialect: "messages", base_url, api_key: "sk-of-the-picture" },
    openai: { dialect: "chat-completions", base_url, api_key: "sk-of-the-picture" },
  };
  const models = [
    { match: "fast", upstream: ["openai", "anthropic"], model: "gpt-5.4-mini" },
    { match: "claude-*", upstream: "anthropic" },
  ];
  await writeFile(config, JSON.stringify({ proxy: { upstreams, models } }, null, 2));
  const data = join(home, "data/proxy");
  await mkdir(data, { recursive: true });
  await writeFile(join(data, "requests.ndjson"), pastCalls(Date.now()));
  const args = [join(root, "dist/sallyport.js"), "proxy", "start", "--config", config, "--ready-file", ready];
  const env = { PATH: process.env.PATH, HOME: home, SERVICE_HOME: join(home, "data") };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "close");
  try {
    const url = await urlIn(ready);
    for (let round = 0; round < 9; round += 1)
      for (const [model, often] of CALLS) if (round < often) await call(url, model, round);
    void call(url, "claude-opus-5-5", "forever").catch(() => {});
    // The log is copied to the database in the background.
    await delay(4_000);
    await use(url, (await readFile(join(data, "admin-key"), "utf8")).trim());
  } finally {
    child.kill("SIGTERM");
    child.kill("SIGTERM");
    vendor.closeAllConnections();
    vendor.close();
    await ended;
  }
}

/** Returns one week of the request log, which the proxy copies to its database when it starts. */
function pastCalls(now) {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const lines = [];
  for (let hour = 7 * 24; hour > 0; hour -= 1) {
    const start = now - hour * 3_600_000;
    const busy = Math.max(0.1, Math.sin(((new Date(start).getUTCHours() - 6) / 24) * 2 * Math.PI));
    for (let index = 0; index < 12 * busy * (0.7 + random()); index += 1) {
      const [model] = CALLS[Math.floor(random() ** 2 * CALLS.length)];
      const ms = Math.round(900 + 9_000 * random() ** 3);
      const [input, isError] = [4_000 + Math.round(30_000 * random()), random() < 0.02];
      lines.push({
        time: new Date(start + random() * 3_600_000).toISOString(),
        id: `req_0123456789ab${String(lines.length).padStart(8, "0")}`,
        key: ["alice-laptop", "bob-laptop", "ci"][Math.floor(random() * 3)],
        ...{ client: "127.0.0.1", method: "POST", route: "/v1/messages", model },
        ...{ upstream: model.startsWith("claude") ? "anthropic" : "openai", status: isError ? 529 : 200 },
        ...{ ms, first_byte_ms: Math.round(ms / 4), stream: true, cost: 0.04 * random() },
        tokens: { input, cache_read: Math.round(input * 0.8), output: Math.round(1_500 * random()) },
        ...(isError && { error_code: "overloaded" }),
      });
    }
  }
  lines.sort((one, other) => (one.time < other.time ? -1 : 1));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

async function call(url, model, round) {
  const isChat = model.startsWith("gpt") || model === "fast";
  const path = isChat ? "/v1/chat/completions" : "/v1/messages";
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({
    model,
    stream: !isChat,
    messages: [{ role: "user", content: String(round) }],
  });
  await (await fetch(`${url}${path}`, { method: "POST", headers, body })).text();
}

/** Responds as a vendor of either dialect, with usage that grows with each round. */
async function respond(request, response) {
  if (request.method === "GET") return response.writeHead(404).end();
  let text = "";
  for await (const piece of request) text += piece;
  const { model, messages, stream } = JSON.parse(text);
  const round = Number(messages[0].content);
  const write = (value) => response.end(JSON.stringify(value));
  if (model === "claude-haiku-5-5" && round === 3) {
    response.writeHead(529, { "content-type": "application/json" });
    return write({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  }
  const [cached, output] = [18_000 + 4_100 * round, 240 + 37 * round];
  response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
  if (!stream) {
    const usage = { prompt_tokens: cached + 900, completion_tokens: output };
    return write({ choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens: cached } } });
  }
  const usage = { input_tokens: 700, cache_read_input_tokens: cached, cache_creation_input_tokens: 1_400 };
  response.write(
    `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { usage } })}\n\n`,
  );
  if (Number.isNaN(round)) return;
  await delay(15 + 20 * round);
  const end = { type: "message_delta", delta: {}, usage: { output_tokens: output } };
  response.end(
    `event: message_delta\ndata: ${JSON.stringify(end)}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n`,
  );
}
