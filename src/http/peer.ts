import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Finds the user of this machine who opened a connection, from the kernel's tables of TCP sockets (Linux,
 * proc_pid_net(5)). Other systems do not report it, and no request is rejected there.
 */

/** The other end of a connection. */
export type Peer =
  | { readonly kind: "user"; readonly uid: number }
  /** The peer's socket is closed and has no owner, so no client waits for the response. */
  | { readonly kind: "closed" }
  /** The peer is another machine or a virtual machine's host, or the system does not report the user. */
  | { readonly kind: "unknown" };

/** One row of /proc/net/tcp or tcp6. Addresses are the kernel's text, such as `0100007F:5BA0`. */
export interface SocketRow {
  readonly local: string;
  readonly remote: string;
  readonly isListening: boolean;
  readonly uid: number;
  /** 0 once the process that owned the socket has closed it. */
  readonly inode: number;
}

/** The two ends of a connection, as this process sees them. */
export interface ConnectionEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

const LISTEN = "0A";
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"] as const;
type Table = (typeof TABLES)[number];
/** An IPv4 address, as such or mapped into IPv6. */
const IPV4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i;

const peers = new WeakMap<Socket, Peer | Promise<Peer>>();

/** Returns the peer of a connection. Each connection is looked up once, and the lookup never rejects. */
export function getPeer(socket: Socket): Peer | Promise<Peer> {
  const known = peers.get(socket);
  if (known) return known;
  const peer = lookUp(socket);
  peers.set(socket, peer);
  if (peer instanceof Promise) void peer.then((found) => peers.set(socket, found));
  return peer;
}

/**
 * Returns the uid of a rejected peer, `"closed"` for a closed peer, or undefined for an accepted peer. Root is
 * accepted, because it can read every process anyway.
 */
export function refusedPeer(
  peer: Peer,
  ownUid: number | undefined,
  allowed: readonly number[] = [],
): number | "closed" | undefined {
  if (peer.kind === "closed") return "closed";
  if (peer.kind === "unknown" || ownUid === undefined) return undefined;
  const { uid } = peer;
  return uid === ownUid || uid === 0 || allowed.includes(uid) ? undefined : uid;
}

function lookUp({ localAddress, localPort, remoteAddress, remotePort }: Socket): Peer | Promise<Peer> {
  if (process.platform !== "linux") return { kind: "unknown" };
  // A reset connection has no addresses, but may have sent a complete request.
  if (remoteAddress === undefined) return { kind: "closed" };
  if (localAddress === undefined || localPort === undefined || remotePort === undefined)
    return { kind: "unknown" };
  const port = `:${portText(localPort)}`;
  return classifyPeer({ localAddress, localPort, remoteAddress, remotePort }, async (table) =>
    parseSocketTable(await readTable(table), port),
  );
}

/**
 * Returns the peer of a connection from the rows of the kernel's tables. Reads the second table only if the peer is not
 * in the first, because a read can take 10 ms. If the peer has no row, both are read again: the peer is closed if this
 * end has no row either, although its listener has one. Otherwise the peer is unknown. Pure except for `read`.
 */
export async function classifyPeer(
  ends: ConnectionEnds,
  read: (table: Table) => Promise<readonly SocketRow[]>,
): Promise<Peer> {
  const own = toTableKeys(ends.localAddress, ends.localPort);
  const other = toTableKeys(ends.remoteAddress, ends.remotePort);
  const isPeer = ({ local, remote }: SocketRow) => other.has(local) && own.has(remote);
  const [first, second] = IPV4.test(ends.remoteAddress) ? TABLES : [TABLES[1], TABLES[0]];
  const peer = (await read(first)).find(isPeer) ?? (await read(second)).find(isPeer);
  if (peer) return peer.inode === 0 ? { kind: "closed" } : { kind: "user", uid: peer.uid };
  const rows = [...(await read(first)), ...(await read(second))];
  const isOurEndThere = rows.some(({ local, remote }) => own.has(local) && other.has(remote));
  const port = portText(ends.localPort);
  const areTablesComplete = rows.some(({ local, isListening }) => isListening && local.endsWith(`:${port}`));
  return !isOurEndThere && areTablesComplete ? { kind: "closed" } : { kind: "unknown" };
}

/** Reads that have not started yet, which connections of the same turn share. */
const starting = new Map<Table, Promise<string>>();

/** Reads a table of the kernel. Resolves to an empty text if the system has no IPv6 or no /proc. */
function readTable(table: Table): Promise<string> {
  const shared = starting.get(table);
  if (shared) return shared;
  const reading = nextTurn().then(() => {
    starting.delete(table);
    return readFile(table, "utf8").catch(() => "");
  });
  starting.set(table, reading);
  return reading;
}

/** Returns the rows of /proc/net/tcp or tcp6 that contain `port`, by default all. */
export function parseSocketTable(text: string, port = ""): SocketRow[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      if (!line.includes(port)) return [];
      const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || inode === undefined) return [];
      return { local, remote, isListening: state === LISTEN, uid: Number(uid), inode: Number(inode) };
    });
}

/** Returns the forms of an address and port in the tables; an IPv4 address also occurs mapped into IPv6. */
function toTableKeys(address: string, port: number): ReadonlySet<string> {
  const portSuffix = `:${portText(port)}`;
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4 === undefined) return new Set([hexWords(ipv6Bytes(address)) + portSuffix]);
  const bytes = ipv4.split(".").map(Number);
  const mapped = [...Array.from({ length: 10 }, () => 0), 0xff, 0xff, ...bytes];
  return new Set([hexWords(bytes) + portSuffix, hexWords(mapped) + portSuffix]);
}

function portText(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/**
 * Returns the kernel's form: 32-bit words in host byte order, which is little-endian for Node.js on Linux except
 * s390x.
 */
function hexWords(bytes: readonly number[]): string {
  const isLittle = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    for (const byte of isLittle ? word.reverse() : word)
      text += byte.toString(16).toUpperCase().padStart(2, "0");
  }
  return text;
}

function ipv6Bytes(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groupValues = [...first, ...Array.from({ length: zeros }, () => 0), ...last];
  return groupValues.flatMap((value) => [value >> 8, value & 0xff]);
}
