// Measures requests per second: a messages client with a chat-completions vendor, compared with the native lane and
// with claude-code-router.
import { load } from "../proxy/load.mjs";
import { agentTurn } from "./conversation.mjs";
import { ccrJson, ccrStream, cpuOf, headers, ours } from "./servers.mjs";

const chatBody = (stream) =>
  JSON.stringify({
    model: "bench",
    ...(stream ? { stream: true } : {}),
    messages: [{ role: "user", content: "Please look into the repository." }],
  });

function subjects(kind, bytes, { proxy, routers }) {
  const stream = kind === "sse";
  const body = JSON.stringify(agentTurn(bytes, stream));
  const at = (port, path) => `http://127.0.0.1:${port}/v1/${path}`;
  const native = { pid: proxy.pid, url: at(ours, "chat/completions"), body: chatBody(stream) };
  const router = { pid: routers?.[kind].pid, url: at(stream ? ccrStream : ccrJson, "messages"), body };
  return {
    ...(bytes < 2_000 ? { "native lane": native } : {}),
    translated: { pid: proxy.pid, url: at(ours, "messages"), body },
    ...(routers ? { "claude-code-router": router } : {}),
  };
}

const fixed = (value) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1));
const times = (value) => (Number.isFinite(value) ? `${value.toFixed(1)} ×` : "none");

/** Prints the table, each case relative to the native lane and to the router. */
export function measureThroughput(folder, servers, seconds) {
  console.log("| case | connections | subject | requests/s | p50 ms | p99 ms | CPU ms/request |");
  console.log("|---|---|---|---|---|---|---|");
  const ratios = [];
  for (const [name, kind, bytes, connections] of [
    ["JSON, small", "json", 500, 16],
    ["stream of 50 events, small", "sse", 500, 16],
    ["stream of 50 events, 180 kB in", "sse", 180_000, 1],
    ["stream of 50 events, 180 kB in", "sse", 180_000, 4],
  ]) {
    const rates = {};
    for (const [subject, { pid, ...where }] of Object.entries(subjects(kind, bytes, servers))) {
      const slice = { folder, cpu: 1, connections, headers: headers(kind), ...where };
      load({ ...slice, seconds: 1 });
      const before = cpuOf(pid);
      const measured = load({ ...slice, seconds });
      const spent = (cpuOf(pid) - before) / (measured.rate * seconds);
      if (measured.failed > 0) console.error(`${subject}: ${measured.failed} responses were errors`);
      rates[subject] = measured.rate;
      const figures = [
        fixed(measured.rate),
        fixed(measured.p50 / 1000),
        fixed(measured.p99 / 1000),
        spent.toFixed(2),
      ];
      console.log(`| ${name} | ${connections} | ${subject} | ${figures.join(" | ")} |`);
    }
    const native = rates["native lane"] / rates.translated;
    const router = rates.translated / rates["claude-code-router"];
    ratios.push(`| ${name} | ${connections} | ${times(native)} | ${times(router)} |`);
  }
  console.log(
    "\n| case | connections | native lane over translation (≤ 2.5) | translation over claude-code-router (≥ 8) |",
  );
  console.log(`|---|---|---|---|\n${ratios.join("\n")}`);
}
