// A minimal HTTP/1.1 client: writes a request, finds the end of the response, and can then write the next one.
import { connect } from "node:net";

/** Returns a request as bytes, for `send`. */
export function requestBytes(url, body, headers = {}) {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ "content-type": "application/json", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Opens a connection. `send(bytes, done)` sends a request and calls `done(status, firstByteAt)` when the response is
 * complete; call it for one request at a time.
 */
export function openConnection(url) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    let done = () => {};
    let response = { status: 0, left: 0, chunked: false, firstByteAt: 0, head: undefined };
    socket.on("data", (bytes) => {
      if (response.head !== true) {
        if (response.firstByteAt === 0) response.firstByteAt = performance.now();
        const text = (response.head ?? "") + bytes.toString("latin1");
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) {
          response.head = text;
          return;
        }
        const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
        const rest = text.length - end - 4;
        response.status = Number(text.slice(9, 12));
        response.head = true;
        response.chunked = length === undefined;
        response.left = Number(length ?? 0) - rest;
        response.tail = text.slice(-5);
      } else {
        response.left -= bytes.length;
        if (response.chunked)
          response.tail = (
            (response.tail ?? "") + bytes.toString("latin1", Math.max(0, bytes.length - 5))
          ).slice(-5);
      }
      if (response.chunked ? response.tail !== "0\r\n\r\n" : response.left > 0) return;
      const { status, firstByteAt } = response;
      response = { status: 0, left: 0, chunked: false, firstByteAt: 0, head: undefined };
      done(status, firstByteAt);
    });
    socket.on("error", reject);
    socket.on("connect", () =>
      resolve({
        send(bytes, whenDone) {
          done = whenDone;
          socket.write(bytes);
        },
        close: () => socket.destroy(),
      }),
    );
  });
}

/**
 * Makes `count` requests over `connections` connections. Resolves to the number of responses with a status other than
 * 200.
 */
export async function makeRequests({ url, body, headers, count, connections }) {
  const bytes = requestBytes(url, body, headers);
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  let begun = 0;
  let failed = 0;
  await Promise.all(
    open.map(
      (connection) =>
        new Promise((resolve) => {
          const next = () => {
            if (begun === count) return resolve();
            begun += 1;
            connection.send(bytes, (status) => {
              if (status !== 200) failed += 1;
              next();
            });
          };
          next();
        }),
    ),
  );
  for (const connection of open) connection.close();
  return failed;
}
