// What the bench measures against: nginx as a model vendor that answers at once, and as a reverse proxy beside ours.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1760000000, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Fifty words, a finish, usage and the end, as a chat-completions stream. */
export const stream = [
  ...Array.from({ length: 50 }, (_, index) => chunk({ content: ` word${index}` })),
  chunk({}, "stop"),
  `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1760000000, model: "bench", choices: [], usage: { prompt_tokens: 200, completion_tokens: 50, total_tokens: 250 } })}\n\n`,
  "data: [DONE]\n\n",
].join("");

/** One kilobyte. */
export const answer = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1760000000,
  model: "bench",
  choices: [
    { index: 0, message: { role: "assistant", content: "word ".repeat(150) }, finish_reason: "stop" },
  ],
  usage: { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 },
});

/** nginx takes parameters of 4 kB at most, so that a long body is put together from variables. */
function setBody(name, text) {
  const quoted = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  const pieces = quoted.match(/(?:\\.|[^\\]){1,1800}/gs) ?? [];
  const sets = pieces.map((piece, index) => `set $${name}_${"abcdefghijklmnop"[index]} "${piece}";`);
  return {
    sets: sets.join("\n"),
    value: pieces.map((_, index) => `\${${name}_${"abcdefghijklmnop"[index]}}`).join(""),
  };
}

/** Starts nginx: the mock on `port` (`/v1/chat/completions` JSON, `/sse/v1/…` a stream), a proxy to it on `proxyPort`. */
export function startNginx(folder, port, proxyPort) {
  const json = setBody("json", answer);
  const events = setBody("sse", stream);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; keepalive_timeout 300; client_max_body_size 10m; client_body_buffer_size 512k;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  upstream mock { server 127.0.0.1:${port}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location /v1/ { ${json.sets} default_type application/json; return 200 "${json.value}"; }
    location /sse/ { ${events.sets} default_type text/event-stream; return 200 "${events.value}"; }
  }
  server {
    listen 127.0.0.1:${proxyPort} backlog=4096;
    location / { proxy_pass http://mock; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`,
  );
  return spawn("nginx", ["-c", config, "-e", `${folder}/error.log`], { stdio: "inherit" });
}
