// The stand-in vendor, which responds immediately (mock.c), and nginx as a reverse proxy in front of it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1760000000, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** A chat-completions stream of 50 deltas, a finish reason, usage and the end. */
export const events = [
  ...Array.from({ length: 50 }, (_, index) => chunk({ content: ` word${index}` })),
  chunk({}, "stop"),
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1760000000, model: "bench", choices: [], usage: { prompt_tokens: 200, completion_tokens: 50, total_tokens: 250 } })}\n\n`,
  "data: [DONE]\n\n",
];

/** A JSON response of 1 kB. */
export const jsonResponse = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1760000000,
  model: "bench",
  choices: [
    { index: 0, message: { role: "assistant", content: "word ".repeat(150) }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 },
});

/**
 * Compiles the mock and starts it on `port`: `/v1/…` returns JSON, `/sse/v1/…` a stream, `/live/v1/…` a paced stream.
 */
export function startMock(folder, port) {
  const [program, json, stream] = ["mock", "answer.json", "stream.txt"].map((name) => join(folder, name));
  execFileSync("cc", ["-O2", "-o", program, join(import.meta.dirname, "mock.c")], { stdio: "inherit" });
  writeFileSync(json, jsonResponse);
  writeFileSync(stream, events.join(""));
  return spawn(program, [port, json, stream].map(String), { stdio: "inherit" });
}

/** Starts nginx on `port` as a reverse proxy to the mock on `mockPort`. It does not buffer responses. */
export function startRelay(folder, mockPort, port) {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; keepalive_timeout 300; client_max_body_size 10m; client_body_buffer_size 512k;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  upstream mock { server 127.0.0.1:${mockPort}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { proxy_pass http://mock; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`,
  );
  // Without a master process, the started process is the worker that is measured.
  return spawn("taskset", ["-c", "0", "nginx", "-c", config, "-e", `${folder}/error.log`], {
    stdio: "inherit",
  });
}
