import { describe, expect, it } from "vitest";
import { createForwarding } from "../../../src/proxy/server/forwarded.ts";

const from = (list: string) => ({ "x-forwarded-for": list });

describe("the client address", () => {
  const { client } = createForwarding(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);

  it.each([
    ["203.0.113.9", "198.51.100.1", "198.51.100.1", "is the peer's where nobody vouches for the header"],
    ["203.0.113.9", "10.1.2.3", "203.0.113.9", "is what a trusted proxy says"],
    ["198.51.100.66, 203.0.113.9", "127.0.0.1", "203.0.113.9", "is not what the client wrote itself"],
    [
      "203.0.113.9, 10.9.9.9, 10.8.8.8",
      "10.1.2.3",
      "203.0.113.9",
      "stands before a chain of trusted proxies",
    ],
    ["10.5.5.5", "10.1.2.3", "10.5.5.5", "is the first one where all are trusted"],
    ["203.0.113.9:4711", "10.1.2.3", "203.0.113.9", "comes without its port"],
    ["[2001:db8::1]:4711", "fd00::1", "2001:db8::1", "comes without its port and brackets"],
    ["203.0.113.9, unknown", "10.1.2.3", "10.1.2.3", "is the last that is known"],
    ["203.0.113.9", "::ffff:10.1.2.3", "203.0.113.9", "is found behind an IPv4 address written as IPv6"],
    ["", "10.1.2.3", "10.1.2.3", "is the peer's without the header"],
  ])("%j from %s is %s: it %s", (list, peer, expected) => {
    expect(client(peer, from(list))).toBe(expected);
  });

  it("is the peer's if no proxy is trusted", () => {
    expect(createForwarding([]).client("127.0.0.1", from("203.0.113.9"))).toBe("127.0.0.1");
  });
});

describe("other headers of a trusted proxy", () => {
  const forwarding = createForwarding(["10.0.0.0/8"]);
  const headers = {
    "x-forwarded-host": "evil.test, llm.example.com",
    "x-forwarded-proto": "http, https",
    "x-forwarded-prefix": "/llm/",
  };

  it("are those of the nearest one", () => {
    expect(forwarding.host("10.0.0.1", headers)).toBe("llm.example.com");
    expect(forwarding.scheme("10.0.0.1", headers)).toBe("https");
    expect(forwarding.prefix("10.0.0.1", headers)).toBe("/llm");
  });

  it("are ignored from any other sender, as is a prefix that is not a plain path", () => {
    expect(forwarding.host("203.0.113.9", headers)).toBeUndefined();
    expect(forwarding.scheme("203.0.113.9", headers)).toBe("http");
    expect(forwarding.prefix("203.0.113.9", headers)).toBe("");
    for (const prefix of ["//evil.test", "/a b", "/<b>", "javascript:"])
      expect(forwarding.prefix("10.0.0.1", { "x-forwarded-prefix": prefix })).toBe("");
  });
});
