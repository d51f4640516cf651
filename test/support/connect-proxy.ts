import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** An HTTP proxy that accepts only CONNECT. */
export interface ConnectProxy {
  readonly port: number;
  /** `HOST:PORT` of each CONNECT, with its `proxy-authorization`. */
  readonly tunnels: { readonly target: string; readonly authorization: string | undefined }[];
  readonly close: () => Promise<void>;
}

/** Starts it. It resolves every host to this machine. `refusal`: the status that it returns instead. */
export async function startConnectProxy(refusal?: number): Promise<ConnectProxy> {
  const tunnels: ConnectProxy["tunnels"] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  };
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connection", keep);
  server.on("connect", (request, client: Socket) => {
    const target = request.url ?? "";
    tunnels.push({ target, authorization: request.headers["proxy-authorization"] });
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
