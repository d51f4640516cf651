// The floor: a minimal Node.js proxy, node:http with undici's Pool.dispatch and nothing else.
//   node bench/proxy/floor.mjs UPSTREAM_PORT PORT
// SIGUSR2 toggles a busy loop that prevents sleeping; the difference is the cost of wake-ups.
import http from "node:http";
import { Pool } from "undici";

const [upstreamPort, port] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 256, pipelining: 1 });

http
  .createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
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
    });
  })
  .listen(Number(port), "127.0.0.1");

let isBusyLooping = false;
const busyLoop = () => {
  if (isBusyLooping) setImmediate(busyLoop);
};
process.on("SIGUSR2", () => {
  isBusyLooping = !isBusyLooping;
  busyLoop();
});
