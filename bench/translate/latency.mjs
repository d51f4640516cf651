// What translation adds to the latency of one 180 kB messages turn, paced and one at a time: ours in turns with the
// vendor asked directly in its own dialect.
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { agentTurn } from "./conversation.mjs";
import { headers, mock, ours } from "./servers.mjs";

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Milliseconds to the end of the answer, and to its first byte. */
function ask(port, path, body) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let first;
    const options = { agent, host: "127.0.0.1", port, path, method: "POST", headers: headers("sse") };
    const call = request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
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

/** Prints the medians of `count` calls each and their difference. `chatBody` is the turn as the vendor would be sent it. */
export async function measureLatency(count, chatBody) {
  const turn = JSON.stringify(agentTurn(180_000));
  const told = { direct: [], ours: [] };
  for (let round = -20; round < count; round += 1) {
    for (const [subject, port, path, body] of [
      ["direct", mock, "/sse/v1/chat/completions", chatBody],
      ["ours", ours, "/v1/messages", turn],
    ]) {
      await delay(15);
      const taken = await ask(port, path, body);
      if (round >= 0) told[subject].push(taken);
    }
  }
  agent.destroy();
  const of = (subject, what) => median(told[subject].map((taken) => taken[what]));
  console.log("| 180 kB turn, stream of 50 events | direct p50 ms | through us p50 ms | added ms (≤ 3) |");
  console.log("|---|---|---|---|");
  for (const [name, what] of [
    ["first byte", "first"],
    ["whole answer", "whole"],
  ]) {
    const [direct, through] = [of("direct", what), of("ours", what)];
    console.log(
      `| ${name} | ${direct.toFixed(2)} | ${through.toFixed(2)} | ${(through - direct).toFixed(2)} |`,
    );
  }
}
