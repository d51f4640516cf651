// The floor: a minimal Node.js proxy, node:http with undici's Pool.dispatch and nothing else.
//   node bench/proxy/floor.mjs UPSTREAM_PORT PORT [REDIS_URL]
// With a URL, each call waits for a script in Redis; the scripts of one turn of the event loop are sent together.
// SIGUSR2 toggles a busy loop that prevents sleeping; the difference is the cost of wake-ups.
import http from "node:http";
import { Pool } from "undici";

const [upstreamPort, port, redisUrl] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 256, pipelining: 1 });
const decide = redisUrl === undefined ? (run) => run() : await createDecisions(redisUrl);

http
  .createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => decide(() => relay()));
    const relay = () =>
      pool.dispatch(
        {
          path: request.url,
          method: "POST",
          headers: ["content-type", "application/json"],
          body: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks),
        },
        {
          onRequestStart(controller) {
            response.once("close", () => {
              if (!response.writableFinished) controller.abort(new Error("gone"));
            });
          },
          onResponseStart(_controller, status, headers) {
            response.writeHead(status, { "content-type": headers["content-type"] });
          },
          onResponseData(controller, chunk) {
            if (response.write(chunk)) return;
            controller.pause();
            response.once("drain", () => controller.resume());
          },
          onResponseEnd() {
            response.end();
          },
          onResponseError() {
            response.destroy();
          },
        },
      );
  })
  .listen(Number(port), "127.0.0.1");

/** Returns a function that runs a task when a script in Redis has responded. */
async function createDecisions(url) {
  const { createClient } = await import("@redis/client");
  const client = createClient({ url });
  await client.connect();
  const script = await client.scriptLoad("return #ARGV");
  let waiting = [];
  const send = () => {
    const tasks = waiting;
    waiting = [];
    client.evalSha(script, { arguments: tasks.map(() => "1") }).then(() => {
      for (const task of tasks) task();
    });
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(send);
  };
}

let isBusyLooping = false;
const busyLoop = () => {
  if (isBusyLooping) setImmediate(busyLoop);
};
process.on("SIGUSR2", () => {
  isBusyLooping = !isBusyLooping;
  busyLoop();
});
