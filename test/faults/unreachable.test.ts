import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { callUpstream, isEnvelope, type Received } from "../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";
import { SECRET } from "../support/upstream-errors.ts";
import { DIALECTS } from "../support/vendor-responses.ts";

/** A name that is too long for any resolver: the lookup fails immediately, with or without a network. */
const NO_SUCH_HOST = `${"a".repeat(64)}.invalid`;

/** Causes that prevent a connection, and the message for each. */
const OBSTACLES = [
  { name: "a host that does not exist", url: () => `http://${NO_SUCH_HOST}`, status: 502 },
  // Not a port that was free a moment ago, because another test may use it now.
  { name: "a port where nobody listens", url: () => "http://127.0.0.1:1", status: 502 },
  { name: "a port that speaks no TLS", url: () => `https://127.0.0.1:${plainPort}`, status: 502 },
  { name: "a handshake that never comes", url: () => `https://127.0.0.1:${silentPort}`, status: 504 },
  { name: "a handshake that stops midway", url: () => `https://127.0.0.1:${haltingPort}`, status: 504 },
  // Other certificate errors need a certificate with a single defect: test/e2e/upstream-certificates.test.ts.
  { name: "a certificate of nobody's", url: () => `https://127.0.0.1:${untrustedPort}`, status: 502 },
];
const CASES = DIALECTS.flatMap((client) =>
  DIALECTS.flatMap((upstream) =>
    [false, true].flatMap((isStream) =>
      OBSTACLES.map((obstacle, number) => ({
        title: `${client} to ${upstream}, ${isStream ? "stream" : "JSON"}: ${obstacle.name}`,
        client,
        isStream,
        model: `${upstream}-${number}`,
        status: obstacle.status,
      })),
    ),
  ),
);

/** The first bytes of a server's answer to a handshake, which announce 118 more (RFC 8446, section 4.1.3). */
const HALF_A_HELLO = Buffer.from("160303007a020000760303", "hex");
const keep = (socket: Socket) => void sockets.add(socket.on("error", () => {}));
const servers = [
  createServer((socket) => void socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  createServer(keep),
  createServer((socket) => {
    keep(socket);
    socket.once("data", () => socket.write(HALF_A_HELLO));
  }),
  createTlsServer(selfSigned("localhost"), keep).on("tlsClientError", () => {}),
] as const;
const sockets = new Set<Socket>();
let [plainPort, silentPort, haltingPort, untrustedPort] = [0, 0, 0, 0];
let proxy: TestProxy;
let responses: readonly Promise<Received>[];

/** Attempts are repeated after a pause, so all calls run concurrently. */
beforeAll(async () => {
  [plainPort = 0, silentPort = 0, haltingPort = 0, untrustedPort = 0] = await Promise.all(
    servers.map(portOf),
  );
  const upstreams = DIALECTS.flatMap((dialect) =>
    OBSTACLES.map(({ url, status }, number) => {
      const timeouts = status === 504 ? { connect: 0.4 } : {};
      return [`${dialect}-${number}`, { dialect, base_url: url(), api_key: SECRET, models: [], timeouts }];
    }),
  );
  proxy = await startTestProxy({
    upstreams: Object.fromEntries(upstreams),
    models: upstreams.map(([name]) => ({ match: name, upstream: name })),
  });
  responses = CASES.map(({ client, model, isStream }) => callUpstream(proxy.url, client, model, isStream));
});
afterAll(async () => {
  await proxy.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  expect(proxy.internal).toEqual([]);
  expect(JSON.stringify(proxy.records)).not.toContain(SECRET);
});

describe("an upstream that cannot be reached", () => {
  it.each(CASES.map((each, number) => [each.title, { ...each, number }] as const))(
    "%s",
    async (_title, { client, status, number }) => {
      const received = await responses[number];
      expect([received?.status, received?.isBroken]).toEqual([status, false]);
      expect(isEnvelope[client](JSON.parse(received?.text ?? ""))).toBe(true);
    },
  );

  it("is tried twice more where that can help, and no more", () => {
    const retries = new Map<string, Set<number>>();
    for (const { upstream = "", retries: made } of proxy.records) {
      const obstacle = OBSTACLES[Number(upstream.at(-1))]?.name ?? "";
      retries.set(obstacle, (retries.get(obstacle) ?? new Set()).add(made));
    }
    expect(proxy.records).toHaveLength(CASES.length);
    expect(Object.fromEntries([...retries].map(([name, made]) => [name, [...made]]))).toEqual({
      "a host that does not exist": [2],
      "a port where nobody listens": [2],
      "a port that speaks no TLS": [0],
      "a handshake that never comes": [2],
      "a handshake that stops midway": [2],
      "a certificate of nobody's": [0],
    });
  });
});

function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}
