import { describe, expect, it } from "vitest";
import { reachableUrls, tunnelCommand } from "../../../src/cli/review/reach.ts";
import { tailnetAddress } from "../../../src/cli/review/tailnet.ts";
import { readReviewEnvironment } from "../../../src/config/review/environment.ts";

const address = (text: string, internal = false) => ({
  address: text,
  family: text.includes(":") ? ("IPv6" as const) : ("IPv4" as const),
  internal,
});
const INTERFACES = {
  lo: [address("127.0.0.1", true)],
  eth0: [address("192.168.1.7"), address("fe80::1")],
  utun4: [address("100.101.102.103"), address("fd7a:115c:a1e0::1")],
};
const reach = (host: string | undefined, variables: Record<string, string> = {}) =>
  reachableUrls({ host, environment: readReviewEnvironment(variables, "linux") }, 20_000, () => INTERFACES);

describe("addresses of a review for other devices", () => {
  it("are empty while the server listens on loopback only", () => {
    expect(reach(undefined)).toEqual([]);
    expect(reach("127.0.0.1")).toEqual([]);
  });

  it("start with the tailnet if it listens on every address", () => {
    expect(reach("0.0.0.0")).toEqual([
      { url: "http://100.101.102.103:20000", by: "tailnet" },
      { url: "http://192.168.1.7:20000", by: "network" },
    ]);
  });

  it("are the one address that the person named", () => {
    expect(reach("192.168.1.7")).toEqual([{ url: "http://192.168.1.7:20000", by: "network" }]);
    expect(reach("[fd7a:115c:a1e0::1]")).toEqual([
      { url: "http://[fd7a:115c:a1e0::1]:20000", by: "network" },
    ]);
  });

  it("are the forwarded one in a Codespace", () => {
    const variables = {
      CODESPACE_NAME: "fluffy",
      GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: "app.github.dev",
    };
    expect(reach(undefined, variables)).toEqual([
      { url: "https://fluffy-20000.app.github.dev", by: "codespace" },
    ]);
  });

  it("do not take a carrier's shared address for a tailnet", () => {
    expect(tailnetAddress({ wan: [address("100.64.0.9")] })).toBeUndefined();
    expect(tailnetAddress({ tailscale0: [address("100.64.0.9")] })).toBe("100.64.0.9");
  });

  it("one command forwards all ports, each once", () => {
    expect(tunnelCommand([19_432, 20_001, 19_432])).toMatch(
      /^ssh -L 19432:localhost:19432 -L 20001:localhost:20001 \S+@\S+$/,
    );
  });
});
