import { expect, it } from "vitest";
import { isLoopback, urlHost, withoutBrackets } from "../../src/config/loopback.ts";

it.each([
  "localhost",
  "LocalHost",
  "127.0.0.1",
  "127.0.0.2",
  "127.255.255.254",
  "::1",
  "[::1]",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
  "[::ffff:7f00:2]",
])("%s is this machine's own", (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each([
  "0.0.0.0",
  "::",
  "[::]",
  "126.0.0.1",
  "128.0.0.1",
  "192.168.1.5",
  "::2",
  "::ffff:10.0.0.1",
  "127.0.0.1.example.com",
  "127.0.0.256",
  "mybox",
  "",
])("%s is not", (host) => {
  expect(isLoopback(host)).toBe(false);
});

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "[::1]"],
  ["[::1]", "[::1]"],
  ["MyBox", "mybox"],
])("%s stands in a URL as %s", (host, written) => {
  expect(urlHost(host)).toBe(written);
});

it("brackets are for URLs alone", () => {
  expect(["[::1]", "::1", "mybox"].map(withoutBrackets)).toEqual(["::1", "::1", "mybox"]);
});
