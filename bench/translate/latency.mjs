// Measures the latency that translation adds to a 180 kB messages request, one at a time, alternating with direct calls
// to the vendor: consecutively, and with a pause before each, after which caches are cold.
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { agentTurn } from "./conversation.mjs";
import { headers, mock, ours } from "./servers.mjs";

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Resolves to milliseconds until the end of the response and until its first byte. */
function askOnce(port, path, body) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let first;
    const options = { agent, host: "127.0.0.1", port, path, method: "POST", headers: headers("sse") };
    const call = request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the response has status ${response.statusCode}`));
      response.on("data", () => {
        first ??= performance.now() - began;
      });
      response.on("end", () => resolve({ whole: performance.now() - began, first }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const warmUp = 300;
const paces = [
  ["one after the other", 0],
  ["15 ms apart", 15],
];

/** Runs the calls of one pace; resolves to their times by subject. */
async function askInTurns(pause, count, turn, chatBody) {
  const samples = { direct: [], ours: [] };
  for (let round = -20; round < count; round += 1) {
    for (const [subject, port, path, body] of [
      ["direct", mock, "/sse/v1/chat/completions", chatBody],
      ["ours", ours, "/v1/messages", turn],
    ]) {
      if (pause > 0) await delay(pause);
      const taken = await askOnce(port, path, body);
      if (round >= 0) samples[subject].push(taken);
    }
  }
  return samples;
}

/**
 * Prints the medians of `count` calls each and their difference. `chatBody` is the request as the vendor would receive
 * it.
 */
export async function measureLatency(count, chatBody) {
  const turn = JSON.stringify(agentTurn(180_000));
  for (let round = 0; round < warmUp; round += 1) await askOnce(ours, "/v1/messages", turn);
  console.log(
    "| 180 kB turn, stream of 50 events | pace | direct p50 ms | through the proxy p50 ms | added ms (≤ 3) |",
  );
  console.log("|---|---|---|---|---|");
  for (const [pace, pause] of paces) {
    const samples = await askInTurns(pause, count, turn, chatBody);
    const of = (subject, what) => median(samples[subject].map((taken) => taken[what]));
    for (const [name, what] of [
      ["first byte", "first"],
      ["whole response", "whole"],
    ]) {
      const figures = [of("direct", what), of("ours", what), of("ours", what) - of("direct", what)];
      console.log(`| ${name} | ${pace} | ${figures.map((figure) => figure.toFixed(2)).join(" | ")} |`);
    }
  }
  agent.destroy();
}
