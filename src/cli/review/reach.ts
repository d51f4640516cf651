import { hostname, networkInterfaces, userInfo } from "node:os";
import { isWildcard, urlHost } from "../../config/loopback.ts";
import { forwardedHost, type ReviewEnvironment } from "../../config/review/environment.ts";
import { isBeyondLoopback } from "./listen.ts";
import { type Interfaces, tailnetAddress } from "./tailnet.ts";

/** A URL at which another device can open a review. */
export interface ReachableUrl {
  readonly url: string;
  readonly by: "codespace" | "tailnet" | "network";
}

/** Returns the URLs for other devices, best first: that of a Codespace, or those of the addresses beyond loopback. */
export function reachableUrls(
  { host, environment }: { readonly host: string | undefined; readonly environment: ReviewEnvironment },
  port: number,
  interfaces: () => Interfaces = networkInterfaces,
): readonly ReachableUrl[] {
  const { codespace } = environment;
  if (codespace) return [{ url: `https://${forwardedHost(codespace, port)}`, by: "codespace" }];
  if (!isBeyondLoopback(host)) return [];
  const found = interfaces();
  const tailnet = tailnetAddress(found);
  const listening = isWildcard(host)
    ? Object.values(found).flatMap((addresses = []) =>
        addresses.flatMap(({ address, family, internal }) =>
          internal || family !== "IPv4" ? [] : [address],
        ),
      )
    : [host];
  const first = listening.filter((address) => address === tailnet);
  return [...first, ...listening.filter((address) => address !== tailnet)].map((address) => ({
    url: `http://${urlHost(address)}:${port}`,
    by: address === tailnet ? "tailnet" : "network",
  }));
}

/** Returns the command that forwards all these ports to the person's machine. */
export function tunnelCommand(ports: readonly number[]): string {
  const forwards = [...new Set(ports)].map((port) => `-L ${port}:localhost:${port}`);
  return `ssh ${forwards.join(" ")} ${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "user";
  }
}
