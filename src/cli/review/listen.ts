import type { Socket } from "node:net";
import { isLoopback, isWildcard, withoutBrackets } from "../../config/loopback.ts";
import { MAX_RETRIES } from "../../http/listen.ts";
import { type Doors, openDoors } from "../../http/listeners.ts";
import { peerOf } from "../../http/peer.ts";
import { preferredPort } from "./preferred-port.ts";

export interface ReviewAddress {
  /** A fixed port, or undefined for the folder's own or any free one. */
  readonly port?: number;
  /** An address beyond loopback, where asked for. */
  readonly host?: string;
  readonly projectFolder: string;
  readonly signal: AbortSignal;
  readonly onRetry: (message: string) => void;
}

/** Where a review answers in any case. */
const USUAL = new Set(["localhost", "127.0.0.1", "::1"]);
const FREE_PORT_TRIES = 10;

/** Whether an address lets others than this machine's programs in. */
export function isBeyondLoopback(host: string | undefined): host is string {
  return host !== undefined && !isLoopback(host);
}

/** Opens a review's addresses; throws as `openDoors` does. */
export function listenForReview(address: ReviewAddress): Promise<Doors> {
  const hosts = hostsOf(address.host);
  const { signal, onRetry } = address;
  // Looked up at once: a peer that closes its socket takes its user's number along.
  const onConnection = (socket: Socket) => void peerOf(socket);
  const shared = { ...hosts, signal, onConnection };
  if (address.port !== undefined) {
    return openDoors({ ...shared, port: address.port, retries: MAX_RETRIES, onRetry });
  }
  const own = preferredPort(address.projectFolder);
  const nextPort = async () => {
    const { default: getPort } = await import("get-port");
    return getPort({ port: own, host: hosts.host });
  };
  return openDoors({ ...shared, port: own, nextPort, retries: FREE_PORT_TRIES });
}

function hostsOf(host: string | undefined): { host: string; alsoOn: string[] } {
  const address = withoutBrackets(host ?? "localhost").toLowerCase();
  if (USUAL.has(address)) return { host: "127.0.0.1", alsoOn: ["::1"] };
  if (address === "::") return { host: "::", alsoOn: [] };
  if (isWildcard(address)) return { host: address, alsoOn: ["::1"] };
  return { host: "127.0.0.1", alsoOn: ["::1", address] };
}
