import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Certificate } from "./certificates.ts";

/** An HTTP proxy that accepts only CONNECT. */
export interface ConnectProxy {
  readonly port: number;
  /** `HOST:PORT` of each CONNECT, with its `proxy-authorization`, and the name in the TLS handshake. */
  readonly tunnels: {
    readonly target: string;
    readonly authorization: string | undefined;
    readonly serverName?: string | false | null | undefined;
  }[];
  readonly close: () => Promise<void>;
}

/**
 * Starts it. It resolves every host to this machine. `refusal`: the status that it returns instead. `tls`: its
 * certificate, if it expects TLS.
 */
export async function startConnectProxy(refusal?: number, tls?: Certificate): Promise<ConnectProxy> {
  const tunnels: ConnectProxy["tunnels"] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  };
  const refuse: RequestListener = (_request, response) => response.writeHead(405).end();
  const server = tls === undefined ? createServer(refuse) : createSecureServer({ ...tls }, refuse);
  server.on("connection", keep);
  server.on("connect", (request, client: Socket) => {
    const target = request.url ?? "";
    const { headers, socket } = request;
    const serverName = socket instanceof TLSSocket ? socket.servername : undefined;
    tunnels.push({ target, authorization: headers["proxy-authorization"], serverName });
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(target.split(":").at(-1)), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    keep(upstream);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    tunnels,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
