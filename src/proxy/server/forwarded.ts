import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import { withoutBrackets } from "../../config/loopback.ts";

/** Reads the `X-Forwarded-…` headers of trusted proxies (`proxy.trusted_proxies`) only. */
export interface Forwarding {
  /**
   * Returns the client's address: the peer's, or, if the peer is a trusted proxy, the last address in `X-Forwarded-For`
   * that is not a trusted proxy's. If there is none, returns the earliest known address of a trusted proxy.
   */
  client(peer: string | undefined, headers: IncomingHttpHeaders): string;
  /**
   * Returns the host that a trusted proxy has forwarded; undefined if there is none, so that the Host header counts.
   */
  host(peer: string | undefined, headers: IncomingHttpHeaders): string | undefined;
  /** Returns the scheme that the client used. */
  scheme(peer: string | undefined, headers: IncomingHttpHeaders): "http" | "https";
  /** Returns the path prefix that a trusted proxy has removed (`X-Forwarded-Prefix`), without a trailing slash. */
  prefix(peer: string | undefined, headers: IncomingHttpHeaders): string;
}

/**
 * Creates a reader that trusts these addresses and CIDR ranges, which the configuration schema has validated.
 * `ownScheme` is the scheme of the listener.
 */
export function createForwarding(
  trustedProxies: readonly string[],
  ownScheme: "http" | "https" = "http",
): Forwarding {
  if (trustedProxies.length === 0) return trustingNobody(ownScheme);
  const trusted = createBlockList(trustedProxies);
  const trusts = (address: string | undefined): address is string =>
    address !== undefined && isIP(address) !== 0 && trusted.check(address, getFamily(address));
  return {
    client(peer, headers) {
      let client = peer ?? "";
      const hops = splitList(headers["x-forwarded-for"]);
      while (trusts(client)) {
        const address = addressIn(hops.pop() ?? "");
        if (address === undefined) break;
        client = address;
      }
      return client;
    },
    host: (peer, headers) => (trusts(peer) ? splitList(headers["x-forwarded-host"]).at(-1) : undefined),
    scheme(peer, headers) {
      const forwarded = trusts(peer)
        ? splitList(headers["x-forwarded-proto"]).at(-1)?.toLowerCase()
        : undefined;
      return forwarded === "https" || forwarded === "http" ? forwarded : ownScheme;
    },
    prefix(peer, headers) {
      const prefix = trusts(peer) ? splitList(headers["x-forwarded-prefix"]).at(-1) : undefined;
      return prefix !== undefined && PREFIX.test(prefix) ? prefix.replace(/\/+$/, "") : "";
    },
  };
}

const trustingNobody = (ownScheme: "http" | "https"): Forwarding => ({
  client: (peer) => peer ?? "",
  host: () => undefined,
  scheme: () => ownScheme,
  prefix: () => "",
});

/** Matches a path of plain segments. Other prefixes are ignored, because the prefix is part of URLs that users copy. */
const PREFIX = /^(?:\/[\w.~-]+)+\/?$/;

function createBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    if (bits === undefined) list.addAddress(address, getFamily(address));
    else list.addSubnet(address, Number(bits), getFamily(address));
  }
  return list;
}

function getFamily(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Splits a header value at commas. Node.js joins repeated headers with commas. */
function splitList(value: string | string[] | undefined): string[] {
  return (value?.toString() ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

/**
 * Returns the address in an entry of `X-Forwarded-For`, without the port that load balancers may add. Returns undefined
 * if the entry is not an address, such as `unknown`.
 */
function addressIn(hop: string): string | undefined {
  const address = withoutBrackets(hop.replace(/^(\[[^\]]*\]|[\d.]+):\d+$/, "$1"));
  return isIP(address) === 0 ? undefined : address;
}
