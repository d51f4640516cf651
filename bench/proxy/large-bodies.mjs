// Sends bodies of up to 64 MiB whose structure costs most, to and from the built proxy, and prints for each the longest
// time that /healthz took meanwhile, the longest CPU time between two turns of the proxy's event loop, and its peak
// memory.
//   node bench/proxy/large-bodies.mjs [--mib 64] [--only PATTERN] [--limit 200]
// The CPU figure is comparable on a busy machine; it is an upper limit, because it includes the garbage collector's
// threads.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProxy } from "./start-proxy.mjs";

const { values: flags } = parseArgs({
  options: {
    mib: { type: "string", default: "64" },
    only: { type: "string", default: "." },
    limit: { type: "string", default: "200" },
  },
});
const SIZE = Number(flags.mib) * 1024 * 1024 - 4096;
const folder = mkdtempSync(join(tmpdir(), "sallyport-large-"));

/** Number of values in a body just below the bound of bodies that are parsed (130,000). */
const BELOW = 129_000;
/** Returns a list with `most` values at most. Each element has `of` values. */
const list = (element, of, most = BELOW) => {
  const count = Math.min(Math.floor(SIZE / (element.length + 1)), Math.floor(most / of));
  return `[${Array(count).fill(element).join(",")}]`;
};
const flood = (element) => list(element, 1, Number.POSITIVE_INFINITY);
const members = (count) => Array.from({ length: count }, (_, index) => `"m${index}":0`).join(",");
const long = (piece) => piece.repeat(Math.floor(SIZE / piece.length));

const MESSAGE = '{"role":"user","content":"x"}';
const CALLS = {
  messages: ["/v1/messages", (body) => `{"model":"c/m","max_tokens":5,${body}}`],
  chat: ["/v1/chat/completions", (body) => `{"model":"a/m",${body}}`],
  responses: ["/v1/responses", (body) => `{"model":"c/m",${body}}`],
  google: ["/v1beta/models/c%2Fm:generateContent", (body) => `{${body}}`],
  count: ["/v1/messages/count_tokens", (body) => `{"model":"c/m",${body}}`],
  native: ["/v1/messages", (body) => `{"model":"a/m","max_tokens":5,${body}}`],
};
/** Every list of each dialect's schema, with an element that costs the most values. */
const LISTS = {
  messages: {
    messages: MESSAGE,
    system: '{"type":"text","text":"x"}',
    tools: '{"name":"t","input_schema":{}}',
    stop_sequences: '"x"',
    mcp_servers: "{}",
  },
  chat: {
    messages: MESSAGE,
    tools: '{"type":"function","function":{"name":"t"}}',
    stop: '"x"',
    functions: '{"name":"t"}',
    modalities: '"text"',
  },
  responses: {
    input: MESSAGE,
    tools: '{"type":"function","name":"t","parameters":{}}',
    include: '"x"',
  },
  google: {
    contents: '{"role":"user","parts":[{"text":"x"}]}',
    tools: '{"functionDeclarations":[{"name":"t"}]}',
    safetySettings: '{"category":"x","threshold":"y"}',
  },
  count: { messages: MESSAGE },
};
const valuesIn = (element) => 1 + (element.match(/[,[{]/g)?.length ?? 0);
const nestedContent = {
  messages: (inner) => `"messages":[{"role":"user","content":${inner}}]`,
  chat: (inner) => `"messages":[{"role":"user","content":${inner}}]`,
  responses: (inner) => `"input":[{"role":"user","content":${inner}}]`,
  google: (inner) => `"contents":[{"role":"user","parts":${inner}}]`,
};
const PARTS = {
  messages: '{"type":"text","text":"x"}',
  chat: '{"type":"text","text":"x"}',
  responses: '{"type":"input_text","text":"x"}',
  google: '{"text":"x"}',
};

/** The list that a body needs in addition to the one that is measured. */
const REQUIRED = { messages: "messages", chat: "messages", responses: "input", google: "contents" };
/** Lists inside an element of another list: [client, function that adds what is around the list, element]. */
const DEEP_LISTS = {
  "messages tool result": [
    "messages",
    (inner) =>
      `"messages":[${MESSAGE},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"t","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":${inner}}]}]`,
    PARTS.messages,
  ],
  "messages search result": [
    "messages",
    nestedSource((inner) => `{"type":"search_result","source":"s","title":"t","content":${inner}}`),
    PARTS.messages,
  ],
  "messages document": [
    "messages",
    nestedSource((inner) => `{"type":"document","source":{"type":"content","content":${inner}}}`),
    PARTS.messages,
  ],
  "messages tool calls": [
    "messages",
    (inner) => `"messages":[${MESSAGE},{"role":"assistant","content":${inner}}]`,
    '{"type":"tool_use","id":"x","name":"t","input":{}}',
  ],
  "chat tool calls": [
    "chat",
    (inner) => `"messages":[${MESSAGE},{"role":"assistant","tool_calls":${inner}}]`,
    '{"id":"x","type":"function","function":{"name":"t","arguments":"{}"}}',
  ],
  "responses tool output": [
    "responses",
    (inner) =>
      `"input":[{"type":"function_call","call_id":"c","name":"t","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":${inner}}]`,
    PARTS.responses,
  ],
  "responses annotations": [
    "responses",
    (inner) =>
      `"input":[{"role":"assistant","content":[{"type":"output_text","text":"x","annotations":${inner}}]}]`,
    '{"type":"x"}',
  ],
  "responses summary": ["responses", (inner) => `"input":[{"type":"reasoning","summary":${inner}}]`, "{}"],
  "responses function calls": [
    "responses",
    (inner) => `"input":${inner}`,
    '{"type":"function_call","call_id":"c","name":"t","arguments":"{}"}',
  ],
  "responses namespace": [
    "responses",
    (inner) => `"input":"x","tools":[{"type":"namespace","name":"n","tools":${inner}}]`,
    '{"type":"function","name":"t"}',
  ],
  "google declarations": [
    "google",
    (inner) => `${nestedContent.google('[{"text":"x"}]')},"tools":[{"functionDeclarations":${inner}}]`,
    '{"name":"t"}',
  ],
  "google function calls": [
    "google",
    (inner) => `"contents":[{"role":"model","parts":${inner}}]`,
    '{"functionCall":{"name":"t"}}',
  ],
  "google response parts": [
    "google",
    (inner) =>
      `"contents":[{"role":"model","parts":[{"functionCall":{"name":"t"}}]},{"role":"user","parts":[{"functionResponse":{"name":"t","parts":${inner}}}]}]`,
    "{}",
  ],
};

/** The other upstreams to which tool calls are sent, because each dialect encodes them in its own way. */
const CALL_UPSTREAMS = {
  "messages tool calls": ["r", "g"],
  "chat tool calls": ["r", "g"],
  "responses function calls": ["a", "g"],
  "google function calls": ["a", "r"],
};
const toUpstream = (text, upstream) => text.replace(/\b[ac](\/|%2F)m\b/, `${upstream}$1m`);

function nestedSource(around) {
  return (inner) => nestedContent.messages(`[${around(inner)}]`);
}

/** Yields request bodies: [name, path, function that builds the body]. */
function* requests() {
  for (const [client, lists] of Object.entries(LISTS)) {
    const [path, wrap] = CALLS[client];
    for (const [name, element] of Object.entries(lists)) {
      const required = REQUIRED[client] ?? name;
      const more = required === name ? "" : `,${nestedContent[client](`[${PARTS[client]}]`)}`;
      yield [
        `${client}.${name} just below the bound`,
        path,
        () => wrap(`"${name}":${list(element, valuesIn(element))}${more}`),
      ];
      yield [`${client}.${name} of {}`, path, () => wrap(`"${name}":${flood("{}")}`)];
      yield [`${client}.${name} of 0`, path, () => wrap(`"${name}":${list("0", 1)}`)];
    }
  }
  for (const [name, [client, around, element]] of Object.entries(DEEP_LISTS)) {
    const [path, wrap] = CALLS[client];
    const build = () => wrap(around(list(element, valuesIn(element))));
    yield [`${name} just below the bound`, path, build];
    for (const upstream of CALL_UPSTREAMS[name] ?? [])
      yield [`${name} to ${upstream}`, toUpstream(path, upstream), () => toUpstream(build(), upstream)];
  }
  for (const [client, around] of Object.entries(nestedContent)) {
    const [path, wrap] = CALLS[client];
    const part = PARTS[client];
    yield [`${client} parts just below the bound`, path, () => wrap(around(list(part, valuesIn(part))))];
    yield [`${client} parts of {}`, path, () => wrap(around(flood("{}")))];
    const text = (piece) => around(`[${part.replace('"x"', () => `"${long(piece)}"`)}]`);
    yield [`${client} text`, path, () => wrap(text("x"))];
    yield [`${client} text of backslashes`, path, () => wrap(text("\\\\"))];
    yield [`${client} text of escaped quotes`, path, () => wrap(text('\\"'))];
    yield [`${client} text of unicode escapes`, path, () => wrap(text("\\u00e9"))];
    yield [`${client} text of three bytes a character`, path, () => wrap(text("語"))];
    yield [`${client} 1,000 unknown members`, path, () => wrap(`${around("[]")},${members(990)}`)];
    yield [`${client} unknown members`, path, () => wrap(`${around("[]")},${members(2_000_000)}`)];
    yield [`${client} nesting`, path, () => wrap(around(long("[")))];
    yield [
      `${client} an object of members`,
      path,
      () => wrap(`${around("[]")},"metadata":{${members(BELOW)}}`),
    ];
  }
  const [path, wrap] = CALLS.native;
  yield ["native text of backslashes", path, () => wrap(`"messages":"${long("\\\\")}"`)];
  yield ["native text of signatures", path, () => wrap(`"messages":"${long("sally1.")}"`)];
  yield ["native lists", path, () => wrap(`"messages":${flood("[]")}`)];
}

const chat = (message) => `{"id":"x","choices":[{"index":0,"message":${message},"finish_reason":"stop"}]}`;
const event = (data) => `data: ${data}\n\n`;
/** Calls that each upstream serves, in a dialect other than the upstream's. */
const messagesCall = (model) => [
  "/v1/messages",
  (more) => `{"model":"${model}","max_tokens":5${more},"messages":[${MESSAGE}]}`,
];
const UPSTREAM_CALLS = {
  c: messagesCall("c/m"),
  r: messagesCall("r/m"),
  g: messagesCall("g/m"),
  a: ["/v1/chat/completions", (more) => `{"model":"a/m"${more},"messages":[${MESSAGE}]}`],
};
/**
 * Yields upstream responses: [name, content type, function that builds the body, call], by default with the call of the
 * chat-completions upstream.
 */
function* responses() {
  const json = "application/json";
  const events = "text/event-stream";
  yield ["choices of {}", json, () => `{"choices":${flood("{}")}}`];
  yield ["choices just below the bound", json, () => `{"choices":${list('{"message":{"content":"x"}}', 3)}}`];
  yield [
    "tool calls just below the bound",
    json,
    () =>
      chat(
        `{"tool_calls":${list('{"id":"x","type":"function","function":{"name":"t","arguments":"{}"}}', 6)}}`,
      ),
  ];
  yield [
    "annotations just below the bound",
    json,
    () =>
      chat(
        `{"content":"x","annotations":${list('{"type":"url_citation","url_citation":{"url":"https://a.example"}}', 5)}}`,
      ),
  ];
  const lists = {
    "responses output": ["r", (inner) => `{"status":"completed","output":${inner}}`, MESSAGE],
    "responses content": [
      "r",
      (inner) => `{"status":"completed","output":[{"type":"message","role":"assistant","content":${inner}}]}`,
      '{"type":"output_text","text":"x"}',
    ],
    "messages content": [
      "a",
      (inner) => `{"content":${inner},"stop_reason":"end_turn"}`,
      '{"type":"text","text":"x"}',
    ],
    "google parts": [
      "g",
      (inner) => `{"candidates":[{"content":{"parts":${inner}},"finishReason":"STOP"}]}`,
      '{"text":"x"}',
    ],
    "google signed calls": [
      "g",
      (inner) => `{"candidates":[{"content":{"parts":${inner}},"finishReason":"STOP"}]}`,
      '{"functionCall":{"name":"t"},"thoughtSignature":"c2ln"}',
    ],
  };
  for (const [name, [upstream, around, element]] of Object.entries(lists))
    yield [
      `${name} just below the bound`,
      json,
      () => around(list(element, valuesIn(element))),
      UPSTREAM_CALLS[upstream],
    ];
  yield ["text", json, () => chat(`{"content":"${long("x")}"}`)];
  yield ["text of backslashes", json, () => chat(`{"content":"${long("\\\\")}"}`)];
  yield ["text of unicode escapes", json, () => chat(`{"content":"${long("\\u00e9")}"}`)];
  yield ["nesting", json, () => long("[")];
  yield ["unknown members", json, () => `{"choices":[],${members(2_000_000)}}`];
  yield ["events of {}", events, () => long(event("{}"))];
  yield [
    "small events",
    events,
    () => long(event('{"id":"x","choices":[{"index":0,"delta":{"content":"x"}}]}')),
  ];
  yield [
    "events with other members",
    events,
    () =>
      Array.from({ length: 300_000 }, (_, i) =>
        event(`{"id":"x${i}","choices":[{"index":0,"delta":{"content":"x","m${i}":1}}]}`),
      ).join(""),
  ];
  yield ["one event", events, () => event(`{"choices":[{"index":0,"delta":{"content":"${long("x")}"}}]}`)];
  yield ["lines without an end", events, () => long("x")];
  yield ["empty lines", events, () => long("\n")];
}

/**
 * Runs inside the proxy: writes the longest CPU time and wall-clock time between two turns, and the peak memory, to a
 * file.
 */
const WATCH = `
const { renameSync, writeFileSync } = require("node:fs");
let cpu = process.cpuUsage(), at = performance.now(), most = 0, wall = 0;
setInterval(() => {
  const used = process.cpuUsage(cpu), now = performance.now();
  most = Math.max(most, Math.min((used.user + used.system) / 1000, now - at - 10)); wall = Math.max(wall, now - at - 10);
  cpu = process.cpuUsage(); at = now;
}, 10).unref();
setInterval(() => {
  writeFileSync(process.env.WATCH_FILE + "~", JSON.stringify({ most, wall, peak: process.resourceUsage().maxRSS / 1024 }));
  renameSync(process.env.WATCH_FILE + "~", process.env.WATCH_FILE);
}, 100).unref();
process.on("SIGWINCH", () => { most = wall = 0; });
`;

let reaction = ["application/json", chat('{"content":"x"}')];
const upstream = createServer(async (incoming, response) => {
  for await (const _ of incoming);
  response.on("error", () => {});
  response.writeHead(200, { "content-type": reaction[0] });
  response.end(reaction[1]);
});
upstream.listen(0, "127.0.0.1");
await once(upstream, "listening");

const watch = join(folder, "watch.cjs");
writeFileSync(watch, WATCH);
const base_url = `http://127.0.0.1:${upstream.address().port}`;
const config = join(folder, "config.json");
const upstreams = {
  c: { dialect: "chat-completions", base_url, models: ["m"] },
  a: { dialect: "messages", base_url, models: ["m"] },
  r: { dialect: "responses", base_url, models: ["m"] },
  g: { dialect: "generative-language", base_url, models: ["m"] },
};
// Without a database, which each of the fresh proxies would create during its measurement.
writeFileSync(config, JSON.stringify({ proxy: { auth_mode: "off", database: "none", upstreams } }));

process.setMaxListeners(0);

/** Starts a proxy with `WATCH`. `figures` reads the file. */
async function startWatchedProxy() {
  const file = join(folder, `${performance.now()}.json`);
  const nodeArguments = ["--require", watch];
  const proxy = await startProxy({ folder, config, nodeArguments, env: { WATCH_FILE: file } });
  return { ...proxy, figures: () => JSON.parse(readFileSync(file, "utf8")) };
}

/** Sends a body. Resolves to the status, or to the code of the error if there is no response. */
function post(url, body) {
  return new Promise((done) => {
    const sent = request(
      url,
      { method: "POST", headers: { "content-type": "application/json", "content-length": body.length } },
      (response) => {
        response.resume();
        response.on("close", () => done(response.statusCode));
      },
    );
    sent.on("error", (error) => done(error.code));
    sent.end(body);
  });
}

async function probe(url, isOver) {
  let most = 0;
  while (!isOver()) {
    const began = performance.now();
    await fetch(`${url}/healthz`).then(
      (response) => response.text(),
      () => {},
    );
    most = Math.max(most, performance.now() - began);
    await delay(5);
  }
  return most;
}

let worst = 0;
async function measure(name, path, body) {
  const proxy = await startWatchedProxy();
  await post(
    `${proxy.url}/v1/messages`,
    Buffer.from(`{"model":"c/m","max_tokens":5,"messages":[${MESSAGE}]}`),
  );
  await delay(300);
  // Resets the figures. SIGUSR2 is not used, because the proxy starts its successor on it.
  proxy.child.kill("SIGWINCH");
  let isOver = false;
  const health = probe(proxy.url, () => isOver);
  const status = await post(proxy.url + path, body);
  isOver = true;
  const slowest = await health;
  await delay(250);
  const { most, peak } = proxy.figures();
  proxy.child.kill("SIGKILL");
  await proxy.exited;
  const turn = Math.round(most);
  worst = Math.max(worst, turn);
  const mark = turn > Number(flags.limit) ? "  OVER" : "";
  console.log(
    `${name.padEnd(52)} ${String(status).padEnd(10)} /healthz ${slowest.toFixed(0).padStart(5)} ms  turn ${String(turn).padStart(5)} ms  peak ${peak.toFixed(0).padStart(5)} MB${mark}`,
  );
}

const wanted = new RegExp(flags.only);
try {
  for (const [name, path, build] of requests())
    if (wanted.test(`request ${name}`)) await measure(`request ${name}`, path, Buffer.from(build()));
  for (const [name, type, build, [path, call] = UPSTREAM_CALLS.c] of responses()) {
    if (!wanted.test(`response ${name}`)) continue;
    reaction = [type, Buffer.from(build())];
    const more = type === "text/event-stream" ? ',"stream":true' : "";
    await measure(`response ${name}`, path, Buffer.from(call(more)));
  }
  console.log(
    `longest turn: ${worst} ms, ${(worst / Number(flags.limit)).toFixed(2)} of the limit of ${flags.limit} ms`,
  );
} finally {
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
