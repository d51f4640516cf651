import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A TCP relay that can stop relaying: connections stay open and new ones are accepted, but no data is transferred.
 */
export interface SilentRelay {
  readonly port: number;
  silence(): void;
  resume(): void;
}

/** Starts a relay to a port of this machine, until the test ends. */
export async function startSilentRelay(port: number): Promise<SilentRelay> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const add = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    add(client);
    add(upstream);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    if (isSilent) for (const socket of [client, upstream]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
