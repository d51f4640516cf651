// Runs wrk and parses its output.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The cases of the native lane: name, bytes of the request, kind of response, connections. */
export const CASES = [
  ["JSON 1 kB", 900, "json", 1],
  ["JSON 1 kB", 900, "json", 32],
  ["JSON 1 kB", 900, "json", 256],
  ["JSON 180 kB in", 180_000, "json", 32],
  ["SSE 50 events", 900, "sse", 1],
  ["SSE 50 events", 900, "sse", 32],
  ["SSE 50 events", 900, "sse", 256],
];

/** Returns a chat-completions body of about this many bytes. */
export function bodyOf(bytes, isStream) {
  const frame = {
    model: "bench",
    messages: [{ role: "user", content: "" }],
    ...(isStream ? { stream: true } : {}),
  };
  const text = "The quick brown fox jumps over the lazy dog. ";
  frame.messages[0].content = text.repeat(Math.max(1, Math.round((bytes - 100) / text.length)));
  return JSON.stringify(frame);
}

const UNITS = { us: 1, ms: 1_000, s: 1_000_000 };

/** Runs wrk for `seconds`. Returns requests, requests per second, latencies in microseconds, and errors. */
export function load({ folder, cpu, url, connections, seconds, body, headers }) {
  const script = join(folder, "post.lua");
  const lines = Object.entries({ "content-type": "application/json", ...headers });
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n${lines.map(([name, value]) => `wrk.headers["${name}"] = "${value}"`).join("\n")}\n`,
  );
  const args = [
    "-c",
    String(cpu),
    "wrk",
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--latency",
    "-s",
    script,
    url,
  ];
  const { stdout, stderr } = spawnSync("taskset", args, { encoding: "utf8" });
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (!rate) throw new Error(`Cannot parse the output of wrk: ${stdout}${stderr}`);
  const latency = (percent) => {
    const found = new RegExp(`\\s${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout);
    return found ? Number(found[1]) * UNITS[found[2]] : Number.NaN;
  };
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? "0";
  const broken = /Socket errors: (.*)/.exec(stdout)?.[1];
  return { rate: Number(rate), requests, p50: latency(50), p99: latency(99), failed: Number(failed), broken };
}
