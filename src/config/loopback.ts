import { BlockList, isIP } from "node:net";

/**
 * The loopback addresses: RFC 1122, section 3.2.1.3, and RFC 4291, section 2.5.3. Also matches their IPv4-mapped IPv6
 * forms.
 */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Returns whether a host to listen on is loopback. IPv6 addresses may have brackets. */
export function isLoopback(host: string): boolean {
  if (/^localhost$/i.test(host)) return true;
  const address = withoutBrackets(host);
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Returns an address for sockets: IPv6 without brackets. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Returns a host for URLs and `Host` headers: lower case, IPv6 with brackets. */
export function urlHost(host: string): string {
  const address = withoutBrackets(host).toLowerCase();
  return isIP(address) === 6 ? `[${address}]` : address;
}

/** Returns whether a host to listen on stands for every address of this machine. */
export function isWildcard(host: string): boolean {
  return ["0.0.0.0", "::"].includes(withoutBrackets(host));
}

/**
 * Returns whether two URLs have the same host and port. All loopback and wildcard hosts, and names that end in
 * `.localhost`, count as equal.
 */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (getPort(first) !== getPort(second)) return false;
  return (
    first.hostname === second.hostname ||
    (isOnThisMachine(first.hostname) && isOnThisMachine(second.hostname))
  );
}

function isOnThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || isWildcard(hostname) || /.\.localhost$/.test(hostname);
}

function getPort({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}
