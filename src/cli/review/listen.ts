import type { Socket } from "node:net";
import { isLoopback, isWildcard, withoutBrackets } from "../../config/loopback.ts";
import { MAX_RETRIES } from "../../http/listen.ts";
import { type Listeners, openListeners } from "../../http/listeners.ts";
import { getPeer } from "../../http/peer.ts";

export interface ReviewAddress {
  /**
   * A fixed port. If undefined, the review listens on the folder's preferred port, or on any free port if
   * that is taken.
   */
  readonly port?: number | undefined;
  /** A requested address, on which the review listens in addition to loopback. */
  readonly host?: string | undefined;
  readonly projectFolder: string;
  readonly signal: AbortSignal;
  readonly onRetry: (message: string) => void;
}

/** The addresses on which a review listens by default. */
const USUAL = new Set(["localhost", "127.0.0.1", "::1"]);
const FREE_PORT_ATTEMPTS = 10;

/** Returns whether an address is reachable from other machines. */
export function isBeyondLoopback(host: string | undefined): host is string {
  return host !== undefined && !isLoopback(host);
}

/** Opens the listeners of a review. Throws as `openListeners` does. */
export function listenForReview(address: ReviewAddress): Promise<Listeners> {
  const hosts = resolveHosts(address.host);
  const { signal, onRetry } = address;
  // The user id is looked up immediately, because it cannot be found after the peer has closed its socket.
  const onConnection = (socket: Socket) => void getPeer(socket);
  const shared = { ...hosts, signal, onConnection };
  if (address.port !== undefined) {
    return openListeners({ ...shared, port: address.port, retries: MAX_RETRIES, onRetry });
  }
  const own = preferredPort(address.projectFolder);
  const nextPort = async () => {
    const { default: getPort } = await import("get-port");
    return getPort({ port: own, host: hosts.host });
  };
  return openListeners({ ...shared, port: own, nextPort, retries: FREE_PORT_ATTEMPTS });
}

function resolveHosts(host: string | undefined): { host: string; alsoOn: string[] } {
  const address = withoutBrackets(host ?? "localhost").toLowerCase();
  if (USUAL.has(address)) return { host: "127.0.0.1", alsoOn: ["::1"] };
  if (address === "::") return { host: "::", alsoOn: [] };
  if (isWildcard(address)) return { host: address, alsoOn: ["::1"] };
  return { host: "127.0.0.1", alsoOn: ["::1", address] };
}

/** First of the preferred ports, which are below the range from which systems assign ephemeral ports. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;

/** Returns the port that a folder's reviews try first, so that the URL stays the same between rounds. Pure. */
export function preferredPort(folder: string): number {
  return FIRST_PORT + (fnv1a(folder) % PORT_COUNT);
}

/**
 * Returns the 32-bit FNV-1a hash of a text, http://www.isthe.com/chongo/tech/comp/fnv/. It is distributed well enough
 * for ports, and `node:crypto` takes 3 ms to load.
 */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
