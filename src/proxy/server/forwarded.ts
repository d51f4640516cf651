import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import { withoutBrackets } from "../../config/loopback.ts";

/** Reads the `X-Forwarded-…` headers of the proxies that are trusted (`proxy.trusted_proxies`), and of nobody else. */
export interface Forwarding {
  /** Returns the address of the client: the last one in `X-Forwarded-For` that is not a trusted proxy's. */
  client(peer: string | undefined, headers: IncomingHttpHeaders): string;
  /** Returns the host that the client asked for, or undefined where the Host header says it. */
  host(peer: string | undefined, headers: IncomingHttpHeaders): string | undefined;
  /** Returns the scheme that the client used. */
  scheme(peer: string | undefined, headers: IncomingHttpHeaders): "http" | "https";
  /** Returns the path prefix that a trusted proxy has removed (`X-Forwarded-Prefix`), without trailing slash. */
  prefix(peer: string | undefined, headers: IncomingHttpHeaders): string;
}

/** Trusts the addresses and CIDR ranges of the configuration, which the schema has checked. */
export function createForwarding(trustedProxies: readonly string[]): Forwarding {
  if (trustedProxies.length === 0) return TRUSTS_NOBODY;
  const trusted = blockListOf(trustedProxies);
  const trusts = (address: string | undefined): address is string =>
    address !== undefined && isIP(address) !== 0 && trusted.check(address, familyOf(address));
  return {
    client(peer, headers) {
      let client = peer ?? "";
      const hops = listOf(headers["x-forwarded-for"]);
      while (trusts(client)) {
        const address = addressIn(hops.pop() ?? "");
        if (address === undefined) break;
        client = address;
      }
      return client;
    },
    host: (peer, headers) => (trusts(peer) ? listOf(headers["x-forwarded-host"]).at(-1) : undefined),
    scheme: (peer, headers) =>
      trusts(peer) && listOf(headers["x-forwarded-proto"]).at(-1)?.toLowerCase() === "https"
        ? "https"
        : "http",
    prefix(peer, headers) {
      const prefix = trusts(peer) ? listOf(headers["x-forwarded-prefix"]).at(-1) : undefined;
      return prefix !== undefined && PREFIX.test(prefix) ? prefix.replace(/\/+$/, "") : "";
    },
  };
}

const TRUSTS_NOBODY: Forwarding = {
  client: (peer) => peer ?? "",
  host: () => undefined,
  scheme: () => "http",
  prefix: () => "",
};

/** A path of plain segments: it is put into URLs that people copy. */
const PREFIX = /^(?:\/[\w.~-]+)+\/?$/;

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Node joins the values of a header that comes several times with commas. */
function listOf(value: string | string[] | undefined): string[] {
  return (value?.toString() ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Load balancers may write a port behind the address. Undefined for `unknown` and the like. */
function addressIn(hop: string): string | undefined {
  const address = withoutBrackets(hop.replace(/^(\[[^\]]*\]|[\d.]+):\d+$/, "$1"));
  return isIP(address) === 0 ? undefined : address;
}
