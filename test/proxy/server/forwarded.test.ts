import { describe, expect, it } from "vitest";
import { createForwarding } from "../../../src/proxy/server/forwarded.ts";

const from = (list: string) => ({ "x-forwarded-for": list });

describe("the client address", () => {
  const { client } = createForwarding(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);

  it.each([
    ["203.0.113.9", "198.51.100.1", "198.51.100.1", "is the peer's address if the peer is not trusted"],
    ["203.0.113.9", "10.1.2.3", "203.0.113.9", "is the address that a trusted proxy has added"],
    ["198.51.100.66, 203.0.113.9", "127.0.0.1", "203.0.113.9", "is not an address that the client has sent"],
    ["203.0.113.9, 10.9.9.9, 10.8.8.8", "10.1.2.3", "203.0.113.9", "precedes a chain of trusted proxies"],
    ["10.5.5.5", "10.1.2.3", "10.5.5.5", "is the first address if all are trusted"],
    ["203.0.113.9:4711", "10.1.2.3", "203.0.113.9", "has no port"],
    ["[2001:db8::1]:4711", "fd00::1", "2001:db8::1", "has no port and no brackets"],
    ["203.0.113.9, unknown", "10.1.2.3", "10.1.2.3", "is the last known address"],
    ["203.0.113.9", "::ffff:10.1.2.3", "203.0.113.9", "is found if the peer's address is IPv4-mapped"],
    ["", "10.1.2.3", "10.1.2.3", "is the peer's address without the header"],
  ])("%j from %s is %s: it %s", (list, peer, expected) => {
    expect(client(peer, from(list))).toBe(expected);
  });

  it("is the peer's if no proxy is trusted", () => {
    expect(createForwarding([]).client("127.0.0.1", from("203.0.113.9"))).toBe("127.0.0.1");
  });
});

describe("the other X-Forwarded headers", () => {
  const forwarding = createForwarding(["10.0.0.0/8"]);
  const headers = {
    "x-forwarded-host": "evil.test, llm.example.com",
    "x-forwarded-proto": "http, https",
    "x-forwarded-prefix": "/llm/",
  };

  it("have the values of the nearest trusted proxy", () => {
    expect(forwarding.host("10.0.0.1", headers)).toBe("llm.example.com");
    expect(forwarding.scheme("10.0.0.1", headers)).toBe("https");
    expect(forwarding.prefix("10.0.0.1", headers)).toBe("/llm");
  });

  it("are ignored from any other sender, and if a prefix is not a plain path", () => {
    expect(forwarding.host("203.0.113.9", headers)).toBeUndefined();
    expect(forwarding.scheme("203.0.113.9", headers)).toBe("http");
    expect(forwarding.prefix("203.0.113.9", headers)).toBe("");
    for (const prefix of ["//evil.test", "/a b", "/<b>", "javascript:"])
      expect(forwarding.prefix("10.0.0.1", { "x-forwarded-prefix": prefix })).toBe("");
  });
});
