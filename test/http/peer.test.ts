import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { classifyPeer, getPeer, parseSocketTable, refusedPeer, type SocketRow } from "../../src/http/peer.ts";

/** The kernel's format: a listener, a connection of uid 1000, and a connection that its client has closed. */
const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:5BA0 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1066 1 00000000c0915d74 100 0 0 10 0
   1: 0100007F:B862 0100007F:5BA0 01 00000000:00000000 00:00000000 00000000  1000        0 50440 1 0000000051584b3b 20 4 30 10 -1
   2: 0100007F:B864 0100007F:5BA0 05 00000000:00000000 03:00001132 00000000     0        0 0 3 000000002b864237
`;
const rows = parseSocketTable(TABLE);
const ends = (remotePort: number) => ({
  localAddress: "127.0.0.1",
  localPort: 0x5ba0,
  remoteAddress: "127.0.0.1",
  remotePort,
});

describe("the peer of a connection", () => {
  it("is the user of the row at its port", async () => {
    expect(await classifyPeer(ends(0xb862), async () => rows)).toEqual({ kind: "user", uid: 1000 });
  });

  it("is found for IPv4 through an IPv6 socket and for IPv6", async () => {
    const row = (local: string, remote: string): SocketRow => ({
      local,
      remote,
      isListening: false,
      uid: 7,
      inode: 1,
    });
    const mapped = row("0000000000000000FFFF00000100007F:0001", "0000000000000000FFFF00000100007F:5BA0");
    expect(await classifyPeer(ends(1), async () => [mapped])).toEqual({ kind: "user", uid: 7 });
    const six = row("00000000000000000000000001000000:0001", "00000000000000000000000001000000:5BA0");
    const sixEnds = { ...ends(1), localAddress: "::1", remoteAddress: "::1" };
    expect(await classifyPeer(sixEnds, async () => [six])).toEqual({ kind: "user", uid: 7 });
    const long = row("B80D01200000000000000000FF000000:0001", "00000000000000000000000001000000:5BA0");
    const longEnds = { ...sixEnds, remoteAddress: "2001:db8::ff" };
    expect(await classifyPeer(longEnds, async () => [long])).toEqual({ kind: "user", uid: 7 });
  });

  it("is looked for in the table of its address family first, and in the other one only if it is not there", async () => {
    const read: string[] = [];
    const peer = await classifyPeer(ends(0xb862), async (table) => {
      read.push(table);
      return rows;
    });
    expect([peer.kind, read]).toEqual(["user", ["/proc/net/tcp"]]);
    await classifyPeer({ ...ends(1), localAddress: "::1", remoteAddress: "::1" }, async (table) => {
      read.push(table);
      return [];
    });
    expect(read.slice(1, 3)).toEqual(["/proc/net/tcp6", "/proc/net/tcp"]);
  });

  it("is closed if its row has no owner (listed as root) or both ends are gone", async () => {
    expect(await classifyPeer(ends(0xb864), async () => rows)).toEqual({ kind: "closed" });
    expect(await classifyPeer(ends(0xb866), async () => rows)).toEqual({ kind: "closed" });
  });

  it("is unknown if only the server's end has a row, or the system lists nothing", async () => {
    const own = { local: "0100007F:5BA0", remote: "0100007F:B868", isListening: false, uid: 0, inode: 9 };
    expect(await classifyPeer(ends(0xb868), async () => [...rows, own])).toEqual({ kind: "unknown" });
    expect(await classifyPeer(ends(0xb868), async () => [])).toEqual({ kind: "unknown" });
  });

  it.runIf(process.platform === "linux")(
    "is looked up at once for connections that open together",
    async () => {
      const server = createServer();
      onTestFinished(() => void server.close());
      const accepted: Socket[] = [];
      server.on("connection", (socket) => accepted.push(socket));
      server.listen({ port: 0, host: "127.0.0.1" });
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      const clients = Array.from({ length: 20 }, () => connect({ port, host: "127.0.0.1" }));
      onTestFinished(() => {
        for (const each of [...clients, ...accepted]) each.destroy();
      });
      await expect.poll(() => accepted.length).toBe(20);
      const peers = await Promise.all(accepted.map((socket) => getPeer(socket)));
      expect(new Set(peers.map((peer) => JSON.stringify(peer)))).toEqual(
        new Set([JSON.stringify({ kind: "user", uid: process.geteuid?.() })]),
      );
    },
  );

  it("may be the same user, root, an allowed user or unknown", () => {
    const user = (uid: number) => ({ kind: "user", uid }) as const;
    expect(refusedPeer(user(1000), 1000)).toBeUndefined();
    expect(refusedPeer(user(0), 1000)).toBeUndefined();
    expect(refusedPeer(user(1001), 1000, [1001])).toBeUndefined();
    expect(refusedPeer({ kind: "unknown" }, 1000)).toBeUndefined();
    expect(refusedPeer(user(1001), undefined)).toBeUndefined();
    expect(refusedPeer(user(1001), 1000)).toBe(1001);
    expect(refusedPeer(user(65_534), 1000)).toBe(65_534);
    expect(refusedPeer({ kind: "closed" }, 1000)).toBe("closed");
  });

  it.each(["127.0.0.1", "::1", "::"])("is found on real sockets, listening on %s", async (host) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen({ port: 0, host });
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const accepted = once(server, "connection");
    const client = connect({ port, host: host === "::1" ? "::1" : "127.0.0.1" });
    onTestFinished(() => void client.destroy());
    const [socket] = (await accepted) as [Socket];
    const expected =
      process.platform === "linux" ? { kind: "user", uid: process.geteuid?.() } : { kind: "unknown" };
    expect(await getPeer(socket)).toEqual(expected);
    client.destroy();
    await once(socket.resume(), "close");
    expect(getPeer(socket)).toEqual(expected);
  });
});
