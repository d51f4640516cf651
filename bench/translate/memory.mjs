// Measures peak memory while the proxy translates streams of growing length, which it must not buffer whole.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { agentTurn } from "./conversation.mjs";
import { headers, ours } from "./servers.mjs";

const word = "The quick brown fox jumps over the lazy dog. ".repeat(20);
const chunk = (delta, reason = null) =>
  `data: ${JSON.stringify({ id: "c", model: "bench", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

/** The number of events that the vendor streams next. */
let events = 0;

/** Starts a vendor that streams events of about 1 kB, with back-pressure. */
export async function startLongStreams() {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let left = events; left > 0; left -= 1) {
      if (!response.write(chunk({ content: word }))) {
        await new Promise((resolve) => response.once("drain", resolve));
      }
    }
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Returns the value of a line of `/proc/PID/status` in MB. */
function memoryOf(pid, line) {
  const found = new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(found) / 1024;
}

/** Prints the peak of resident memory for each length. */
export async function measureMemory(pid, lengths) {
  console.log("| events of 1 kB in the stream | bytes to the client, MB | peak resident memory, MB |");
  console.log("|---|---|---|");
  for (const length of lengths) {
    events = length;
    // Resets the peak to the current value.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    const body = JSON.stringify(agentTurn(500));
    const url = `http://127.0.0.1:${ours}/v1/messages`;
    const response = await fetch(url, { method: "POST", headers: headers("long"), body });
    let bytes = 0;
    for await (const piece of response.body) bytes += piece.length;
    const figures = [
      length.toLocaleString("en"),
      (bytes / 1e6).toFixed(1),
      memoryOf(pid, "VmHWM").toFixed(0),
    ];
    console.log(`| ${figures.join(" | ")} |`);
  }
}
