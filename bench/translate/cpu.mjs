// Measures translation without sockets: CPU per request and per stream event for every pair of dialects, and how both
// grow with the length of the history and the stream.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { agentTurn } from "./conversation.mjs";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-"));

async function load(file) {
  const bundle = await rolldown({ input: join(root, file), platform: "node", logLevel: "silent" });
  const out = join(folder, `${file.replaceAll("/", "-")}.mjs`);
  await bundle.write({ file: out, format: "esm", codeSplitting: false });
  return import(pathToFileURL(out).href);
}

/** Returns the 10th percentile of the CPU milliseconds of many runs, which depends least on other load. */
async function cost(run, rounds) {
  for (let round = 0; round < 15; round += 1) await run();
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 10)];
}

const dialects = ["chat-completions", "responses", "messages", "generative-language"];
const { loadCodec } = await load("src/proxy/dialects/codecs.ts");
const codecs = Object.fromEntries(
  await Promise.all(dialects.map(async (dialect) => [dialect, await loadCodec(dialect)])),
);
const { readRequestJson } = await load("src/proxy/translate/request/read-json.ts");
const { prepareRequest } = await load("src/proxy/translate/request/prepare-request.ts");
const { capabilitiesFor } = await load("src/proxy/models/capabilities-for.ts");
const { stringifyJson } = await load("src/proxy/exchange/json.ts");
const { finishSteps } = await load("src/proxy/exchange/steps.ts");
const { DeltaFastPath } = await load("src/proxy/translate/response/delta-fast-path.ts");
const { createSseParser } = await load("src/sse/parse.ts");

const canonical = (bytes) => codecs.messages.decodeRequest(agentTurn(bytes), {}).value;
const encode = (dialect, request) => {
  const capabilities = capabilitiesFor(dialect, "bench");
  const prepared = finishSteps(prepareRequest(request, { dialect, model: "bench" }, capabilities));
  return stringifyJson(codecs[dialect].encodeRequest(prepared.request, capabilities).value.body);
};
const translate = async (client, upstream, body) => {
  const context = { model: "bench", stream: true };
  return encode(upstream, codecs[client].decodeRequest(await readRequestJson(body), context).value);
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
const relay = (client, upstream, bytes, way = "short") => {
  const parser = createSseParser();
  const decoder = codecs[upstream].createStreamDecoder();
  const encoder = codecs[client].createStreamEncoder(context);
  const encode = (events) => events.map((event) => encoder.push(event)).join("");
  const deltas = new DeltaFastPath(decoder, encode);
  let length = 0;
  for (let from = 0; from < bytes.length; from += 16_384) {
    for (const event of parser.push(bytes.subarray(from, from + 16_384))) {
      length += (way === "short" ? deltas.push(event) : encode(decoder.push(event))).length;
    }
  }
  return length;
};

/** Returns a 180 kB request as a chat-completions vendor would receive it. */
export const chatTurn = () => encode("chat-completions", canonical(180_000));

/** Prints the cost of each pair of dialects. */
export async function measurePairs({ bytes = 180_000, events = 5_000, rounds }) {
  console.log(
    `| client → upstream | request of ${bytes / 1000} kB, CPU ms | per stream event, CPU µs | slow path, CPU µs |`,
  );
  console.log("|---|---|---|---|");
  for (const client of dialects) {
    const body = Buffer.from(encode(client, canonical(bytes)));
    for (const upstream of dialects) {
      if (client === upstream) continue;
      const stream = write(upstream, events);
      const request = await cost(() => translate(client, upstream, body), rounds * 2);
      const eventCost = async (way) =>
        ((await cost(() => relay(client, upstream, stream, way), rounds)) * 1000) / events;
      const [event, long] = [await eventCost("short"), await eventCost("long")];
      const figures = [request, event, long].map((figure) => figure.toFixed(2));
      console.log(`| ${client} → ${upstream} | ${figures.join(" | ")} |`);
    }
  }
  const parsed = Buffer.from(JSON.stringify(agentTurn(bytes)));
  const alone = await cost(() => JSON.parse(parsed.toString()), rounds * 2);
  console.log(`\n\`JSON.parse\` alone of those ${bytes / 1000} kB: ${alone.toFixed(2)} ms`);
}

/** Prints the growth of the cost with the length of history and stream, messages → chat-completions. */
export async function measureGrowth({ rounds }) {
  console.log("| messages → chat-completions | CPU ms | for each kB or event, µs |");
  console.log("|---|---|---|");
  for (const size of [125, 250, 500, 1_000]) {
    const body = Buffer.from(JSON.stringify(agentTurn(size * 1_000)));
    const spent = await cost(() => translate("messages", "chat-completions", body), rounds);
    console.log(
      `| history of ${size} kB | ${spent.toFixed(2)} | ${((spent * 1e6) / body.length).toFixed(2)} |`,
    );
  }
  for (const events of [500, 5_000, 50_000]) {
    const stream = write("chat-completions", events);
    const spent = await cost(() => relay("messages", "chat-completions", stream), rounds);
    console.log(
      `| stream of ${events} events | ${spent.toFixed(2)} | ${((spent * 1000) / events).toFixed(2)} |`,
    );
  }
}

export function removeBundles() {
  rmSync(folder, { recursive: true, force: true });
}
