// Translation alone, without sockets: CPU per request and per stream event for every pair of dialects, and how it grows.
//   node bench/translate/cpu.mjs [--bytes 180000] [--events 5000]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { agentTurn } from "./conversation.mjs";

const { values: flags } = parseArgs({
  options: { bytes: { type: "string", default: "180000" }, events: { type: "string", default: "5000" } },
});
const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));

async function load(file) {
  const bundle = await rolldown({ input: join(root, file), platform: "node", logLevel: "silent" });
  const out = join(folder, `${file.replaceAll("/", "-")}.mjs`);
  await bundle.write({ file: out, format: "esm", codeSplitting: false });
  return import(pathToFileURL(out).href);
}

/** Median CPU milliseconds of one run. */
function cost(run, rounds = 40) {
  for (let round = 0; round < 15; round += 1) run();
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return times.sort((a, b) => a - b)[rounds >> 1];
}

const dialects = ["chat-completions", "responses", "messages", "generative-language"];
const { codecs } = await load("src/proxy/codecs.ts");
const { readRequestJson } = await load("src/proxy/translate/read-json.ts");
const { prepareRequest } = await load("src/proxy/translate/prepare-request.ts");
const { capabilitiesFor } = await load("src/proxy/capabilities/capabilities-for.ts");
const { stringifyJson } = await load("src/proxy/exchange/json.ts");
const { createSseParser } = await load("src/sse/parse.ts");

const canonical = (bytes) => codecs.messages.decodeRequest(agentTurn(bytes), {}).value;
const encode = (dialect, request) => {
  const capabilities = capabilitiesFor(dialect, "bench");
  const prepared = prepareRequest(request, { dialect, model: "bench" }, capabilities);
  return stringifyJson(codecs[dialect].encodeRequest(prepared.request, capabilities).value.body);
};
const translate = (client, upstream, body) => {
  const context = { model: "bench", stream: true };
  return encode(upstream, codecs[client].decodeRequest(readRequestJson(body), context).value);
};
const context = { model: "bench", request: canonical(0), now: 0, fallbackId: "x", array: false };
const write = (dialect, count) => {
  const encoder = codecs[dialect].createStreamEncoder(context);
  const events = [
    { type: "start", id: "x" },
    { type: "part-start", index: 0, part: { type: "text", text: "" } },
    ...Array.from({ length: count }, (_, index) => ({ type: "text-delta", index: 0, text: ` word${index}` })),
    { type: "part-end", index: 0 },
    { type: "finish", finish: { unified: "stop" } },
    { type: "usage", usage: { input: { total: 9 }, output: { total: count } } },
    { type: "end" },
  ];
  return Buffer.from(events.map((event) => encoder.push(event)).join(""));
};
const relay = (client, upstream, bytes) => {
  const parser = createSseParser();
  const decoder = codecs[upstream].createStreamDecoder();
  const encoder = codecs[client].createStreamEncoder(context);
  let length = 0;
  for (let from = 0; from < bytes.length; from += 16_384) {
    for (const event of parser.push(bytes.subarray(from, from + 16_384))) {
      for (const made of decoder.push(event)) length += encoder.push(made).length;
    }
  }
  return length;
};

try {
  const [bytes, events] = [Number(flags.bytes), Number(flags.events)];
  console.log(`Node ${process.version}, CPU time, median\n`);
  console.log(`| client → upstream | request of ${bytes / 1000} kB, ms | per stream event, µs |`);
  console.log("|---|---|---|");
  for (const client of dialects) {
    const body = Buffer.from(encode(client, canonical(bytes)));
    for (const upstream of dialects) {
      if (client === upstream) continue;
      const stream = write(upstream, events);
      const request = cost(() => translate(client, upstream, body));
      const event = (cost(() => relay(client, upstream, stream), 20) * 1000) / events;
      console.log(`| ${client} → ${upstream} | ${request.toFixed(2)} | ${event.toFixed(2)} |`);
    }
  }
  const parsed = Buffer.from(JSON.stringify(agentTurn(bytes)));
  console.log(
    `\nJSON.parse alone of those ${bytes / 1000} kB: ${cost(() => JSON.parse(parsed.toString())).toFixed(2)} ms`,
  );
  for (const size of [125_000, 250_000, 500_000, 1_000_000]) {
    const body = Buffer.from(JSON.stringify(agentTurn(size)));
    const spent = cost(() => translate("messages", "chat-completions", body), 15);
    console.log(`messages → chat-completions, ${size / 1000} kB: ${spent.toFixed(1)} ms`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
