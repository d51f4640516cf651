import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** The addresses of a machine, by interface. */
export type Interfaces = NodeJS.Dict<
  readonly Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[]
>;

/** The range of Tailscale's IPv6 addresses: https://tailscale.com/kb/1033/ip-and-dns-addresses */
const TAILNET_IPV6 = /^fd7a:115c:a1e0:/i;
/** 100.64.0.0/10, which Tailscale shares with carriers' networks. */
const SHARED_IPV4 = /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** Returns the IPv4 address of this machine in its tailnet; undefined if it has none. */
export function tailnetAddress(interfaces: Interfaces = networkInterfaces()): string | undefined {
  const own = Object.entries(interfaces).filter(
    ([name, addresses = []]) =>
      /^tailscale/i.test(name) || addresses.some(({ address }) => TAILNET_IPV6.test(address)),
  );
  const addresses = own.flatMap(([, addresses = []]) => addresses.map(({ address }) => address));
  return addresses.find((address) => SHARED_IPV4.test(address));
}
