import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

let upstream: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream(json({ ok: true }));
  proxy = await startTestProxy({
    upstreams: { a: { dialect: "messages", base_url: upstream.url, models: ["m"] } },
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const BODY = '{"model":"m"}';
const INNER = `POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const head = (...lines: string[]) =>
  ["POST /v1/messages HTTP/1.1", "Host: localhost", "Content-Type: application/json", ...lines, "", ""].join(
    "\r\n",
  );

/** Two requests that some parsers read as one, or one that some parsers read as two. */
const SMUGGLED: Readonly<Record<string, string>> = {
  "length and chunks": `${head("Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n${INNER}`,
  "chunks and length": `${head("Transfer-Encoding: chunked", "Content-Length: 4")}0\r\n\r\n${INNER}`,
  "two lengths": `${head("Content-Length: 0", `Content-Length: ${INNER.length}`)}${INNER}`,
  "a list of lengths": `${head(`Content-Length: 0, ${INNER.length}`)}${INNER}`,
  "a negative length": `${head("Content-Length: -1")}${INNER}`,
  "a signed length": `${head("Content-Length: +0")}${INNER}`,
  "a hexadecimal length": `${head("Content-Length: 0x0")}${INNER}`,
  "a length in letters": `${head("Content-Length: zero")}${INNER}`,
  "an endless length": `${head("Content-Length: 99999999999999999999")}${INNER}`,
  "a space before the colon": `${head("Content-Length : 0")}${INNER}`,
  "a coding spelled otherwise": `${head("Transfer-Encoding: xchunked")}0\r\n\r\n${INNER}`,
  "chunked and something else": `${head("Transfer-Encoding: chunked, identity")}0\r\n\r\n${INNER}`,
  "two codings": `${head("Transfer-Encoding: chunked", "Transfer-Encoding: identity")}0\r\n\r\n${INNER}`,
  "a tab before the coding": `${head("Transfer-Encoding:\tchunked", "Content-Length: 4")}0\r\n\r\n${INNER}`,
  "a vertical tab in the coding": `${head("Transfer-Encoding: \x0bchunked", "Content-Length: 4")}0\r\n\r\n${INNER}`,
  "a folded header": `${head("X: y\r\n Content-Length: 0", "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n${INNER}`,
  "a bare line feed": `POST /v1/messages HTTP/1.1\nHost: localhost\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\r\n\r\n${INNER}`,
  "a bare carriage return": `${head("X: y\rTransfer-Encoding: chunked", "Content-Length: 0")}${INNER}`,
  "a chunk size that is none": `${head("Transfer-Encoding: chunked")}zz\r\n\r\n0\r\n\r\n${INNER}`,
  "a chunk size with a sign": `${head("Transfer-Encoding: chunked")}-1\r\n\r\n0\r\n\r\n${INNER}`,
  "a chunk longer than it says": `${head("Transfer-Encoding: chunked")}1\r\nabc\r\n0\r\n\r\n${INNER}`,
  "a chunk size that overflows": `${head("Transfer-Encoding: chunked")}fffffffffffffffff\r\n\r\n0\r\n\r\n${INNER}`,
  "a NUL in a header": `${head("X: a\0b", "Content-Length: 0")}${INNER}`,
  "headers without end": head(
    ...Array.from({ length: 40 }, (_, index) => `X-${index}: ${"x".repeat(1_000)}`),
  ),
};

/** Sends bytes, and resolves to the status lines of all responses once the server has closed the connection. */
function exchange(bytes: string): Promise<string[]> {
  const { port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    let response = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes, "latin1"));
    socket.on("data", (chunk) => {
      response += chunk.toString("latin1");
    });
    socket.on("close", () =>
      resolve([...response.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => match[1] ?? "")),
    );
    socket.on("error", (error) => (/ECONNRESET|EPIPE/.test(String(error)) ? undefined : reject(error)));
  });
}

describe("P9 request smuggling", () => {
  it.each(Object.entries(SMUGGLED))(
    "%s: refused, the connection closed, and the next is clean",
    async (_name, bytes) => {
      upstream.hits.length = 0;
      const statuses = await exchange(bytes);
      // Rejected or disconnected: neither the outer nor the inner request is served.
      expect(statuses.filter((status) => status < "400")).toEqual([]);
      expect(upstream.hits.map(({ body }) => body.toString())).toEqual([]);
      const next = await fetch(`${proxy.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: BODY,
      });
      expect([next.status, await next.json()]).toEqual([200, { ok: true }]);
    },
  );
});
