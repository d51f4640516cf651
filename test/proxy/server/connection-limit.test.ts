import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { capacityFor } from "../../../src/proxy/server/connections.ts";
import { selfSigned } from "../../support/certificates.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";

const KEY = "sk-clients-0123456789abcdef";

const CERTIFICATE = selfSigned("localhost");

async function startProxy(settings: object, scheme = "http") {
  const proxy = await startTestProxy(settings, {}, scheme === "https" ? { tls: CERTIFICATE } : {});
  onTestFinished(() => proxy.close());
  const port = Number(new URL(proxy.url).port);
  const open = async (): Promise<Socket> => {
    const isSecure = scheme === "https";
    const socket = isSecure
      ? connectSecurely({ port, host: "127.0.0.1", servername: "localhost", ca: CERTIFICATE.cert })
      : connect(port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, isSecure ? "secureConnect" : "connect");
    return socket;
  };
  return { open };
}

async function ask(socket: Socket, path: string, headers = "", method = "GET"): Promise<string> {
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
  return String(await once(socket, "data")).toLowerCase();
}

describe("connections above limits.connections", () => {
  it.each(["http", "https"])(
    "receive one response over %s: a 503 with retry-after, or the response to a probe",
    async (scheme) => {
      const { open } = await startProxy({ limits: { connections: 2 } }, scheme);
      const within = [await open(), await open()];
      for (const socket of within) expect(await ask(socket, "/v1/models")).toMatch(/^http\/1.1 200 /);
      for (const [path, status] of [
        ["/healthz", 200],
        ["/readyz", 200],
        ["/v1/models", 503],
        ["/v1/chat/completions", 503],
      ] as const) {
        const socket = await open();
        const isCall = path.endsWith("completions");
        const response = await ask(
          socket,
          path,
          isCall ? "content-length: 0\r\n" : "",
          isCall ? "POST" : "GET",
        );
        expect(response).toMatch(new RegExp(`^http/1.1 ${status} `));
        expect(response).toContain("\r\nconnection: close\r\n");
        if (status === 503) expect(response).toMatch(/\r\nretry-after: \d+\r\n/);
        await until(() => socket.readableEnded || socket.closed);
      }
      for (const socket of within) expect(await ask(socket, "/v1/models")).toMatch(/^http\/1.1 200 /);
    },
  );

  it("are closed if they send nothing and newer connections arrive", async () => {
    const { open } = await startProxy({ limits: { connections: 1 } });
    expect(await ask(await open(), "/healthz")).toMatch(/^http\/1.1 200 /);
    const silent: Socket[] = [];
    while (silent.length < 300) silent.push(await open());
    expect(await ask(await open(), "/healthz")).toMatch(/^http\/1.1 200 /);
    await until(() => silent.filter((socket) => socket.closed || socket.readableEnded).length >= 44);
  });
});

it("a WebSocket above limits.connections is rejected with a 503", async () => {
  const { open } = await startProxy({ limits: { connections: 1 } });
  const upgrade =
    "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const within = await open();
  expect(await ask(within, "/v1/responses", upgrade)).toMatch(/^http\/1.1 101 /);
  const socket = await open();
  const response = await ask(socket, "/v1/responses", upgrade);
  expect(response).toMatch(/^http\/1.1 503 [\s\S]*\r\nretry-after: 1\r\n/);
  await until(() => socket.readableEnded || socket.closed);
});

describe("connections without a valid key, if keys are required", () => {
  it("are closed after their response, while connections with a key stay open", async () => {
    const { open } = await startProxy({ auth_mode: "all_except_health", api_keys: [KEY] });
    for (const path of ["/missing", "/v1/models", "/healthz"]) {
      const socket = await open();
      expect(await ask(socket, path)).toContain("\r\nconnection: close\r\n");
      await until(() => socket.readableEnded || socket.closed);
    }
    const socket = await open();
    for (const status of [200, 404])
      expect(
        await ask(socket, status === 200 ? "/v1/models" : "/missing", `authorization: Bearer ${KEY}\r\n`),
      ).toMatch(new RegExp(`^http/1.1 ${status} `));
  });
});

describe("the capacity for connections", () => {
  it("is the configured number, unless the process can open too few files", () => {
    expect(capacityFor(4_096, Number.POSITIVE_INFINITY)).toEqual({ connections: 4_096, reserve: 256 });
    expect(capacityFor(4_096, 128)).toEqual({ connections: 38, reserve: 11 });
    expect(capacityFor(10, 128).connections).toBe(10);
    expect(capacityFor(4_096, 20)).toEqual({ connections: 1, reserve: 1 });
  });
});
