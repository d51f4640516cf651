import { createServer, type Server } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { clientHeaders } from "../../src/proxy/upstream/response-headers.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const OURS = ["content-security-policy", "cross-origin-resource-policy", "x-content-type-options"];

/** An upstream that responds with these bytes, valid HTTP or not. */
async function rawUpstream(bytes: string): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes.replaceAll("\n", "\r\n"), "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function fetchThroughProxy(bytes: string): Promise<Response> {
  const upstreams = { a: { dialect: "messages", base_url: await rawUpstream(bytes), models: ["m"] } };
  const proxy = await startTestProxy({ upstreams });
  onTestFinished(() => proxy.close());
  return fetch(`${proxy.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"model":"m"}',
  });
}

describe("P10 response headers to a client", () => {
  it("contain the allowed headers and the proxy's own", () => {
    const list = clientHeaders(
      {
        "content-type": "application/json",
        "request-id": "r",
        "apim-request-id": "r",
        "mistral-correlation-id": "r",
        "x-ds-trace-id": "r",
        "x-generation-id": "r",
        "inference-id": "r",
        "x-ms-region": "r",
        "server-timing": "r",
        "x-ratelimitbysize-limit-tokens": "1",
        "anthropic-ratelimit-requests-remaining": "1",
        "set-cookie": ["a=b"],
        "alt-svc": "h3",
        "access-control-allow-origin": "*",
        "content-security-policy": "default-src *",
        "strict-transport-security": "x",
        "transfer-encoding": "chunked",
        "x-named": "1",
      },
      ["x-sallyport-request-id", "id"],
      String,
    );
    const names = list.filter((_, index) => index % 2 === 0);
    expect(names.toSorted()).toEqual(
      [
        ...OURS,
        "anthropic-ratelimit-requests-remaining",
        "apim-request-id",
        "mistral-correlation-id",
        "x-ds-trace-id",
        "x-generation-id",
        "inference-id",
        "x-ms-region",
        "server-timing",
        "x-ratelimitbysize-limit-tokens",
        "content-type",
        "request-id",
        "x-sallyport-request-id",
      ].toSorted(),
    );
  });

  it("contain no other header, whatever its name", () => {
    const name = fc.stringMatching(/^[a-z][a-z-]{1,20}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (headers) => {
        const names = clientHeaders(headers, [], String).filter((_, index) => index % 2 === 0);
        const forbidden =
          /^(?:set-cookie|access-control-|connection$|transfer-encoding$|alt-svc$|strict-|clear-site|location$|refresh$|link$|x-sallyport)/;
        expect(names.filter((each) => forbidden.test(each))).toEqual([]);
        expect(names.slice(0, OURS.length).toSorted()).toEqual(OURS);
      }),
    );
  });

  it("never contain cookies, permission headers or a split response", async () => {
    const body = '{"ok":true}';
    const response = await fetchThroughProxy(
      `HTTP/1.1 200 OK\nContent-Type: application/json\nSet-Cookie: a=b\nAccess-Control-Allow-Origin: *\nRequest-Id: r\nX-RateLimit-Limit: 1\nConnection: close\nContent-Length: ${body.length}\n\n${body}`,
    );
    expect(await response.text()).toBe(body);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "request-id": "r",
      "x-ratelimit-limit": "1",
    });
    for (const name of ["set-cookie", "access-control-allow-origin"])
      expect(response.headers.get(name)).toBeNull();
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  });

  it.each([
    "HTTP/1.1 200 OK\nRequest-Id: a\rSet-Cookie: b\nContent-Length: 2\n\n{}",
    "HTTP/1.1 200 OK\nRequest-Id: a\0b\nContent-Length: 2\n\n{}",
    "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\n{}",
    "HTTP/1.1 200 OK\nContent-Length: 2\nTransfer-Encoding: chunked\n\n{}",
    `HTTP/1.1 200 OK\nX-Long: ${"x".repeat(100_000)}\n\n`,
    "HTTP/9.9 teapot\n\n",
    "not HTTP at all",
  ])("and an answer that is no HTTP is a clean 502: %j", async (bytes) => {
    const response = await fetchThroughProxy(bytes);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ type: "error" });
    expect(response.headers.get("set-cookie")).toBeNull();
  });
});
