import { describe, expect, it } from "vitest";
import { describeProxies, proxyFor, readOutboundProxies } from "../../src/config/outbound-proxy.ts";

const PROXY = "http://proxy.corp:3128";

describe("the outbound proxy", () => {
  it.each([
    ["HTTPS_PROXY for https", { HTTPS_PROXY: PROXY }, "https://api.vendor.test", PROXY],
    ["HTTPS_PROXY not for http", { HTTPS_PROXY: PROXY }, "http://api.vendor.test", undefined],
    ["HTTP_PROXY for http", { HTTP_PROXY: PROXY }, "http://api.vendor.test", PROXY],
    ["HTTP_PROXY not for https", { HTTP_PROXY: PROXY }, "https://api.vendor.test", undefined],
    ["ALL_PROXY for https", { ALL_PROXY: PROXY }, "https://api.vendor.test", PROXY],
    ["ALL_PROXY for http", { all_proxy: PROXY }, "http://api.vendor.test", PROXY],
    [
      "the own one before ALL_PROXY",
      { ALL_PROXY: "http://all:1", HTTPS_PROXY: PROXY },
      "https://a.test",
      PROXY,
    ],
    ["lower case first", { https_proxy: PROXY, HTTPS_PROXY: "http://other:1" }, "https://a.test", PROXY],
    ["an empty one as none", { HTTPS_PROXY: " " }, "https://a.test", undefined],
    ["HOST:PORT", { HTTPS_PROXY: "proxy.corp:3128" }, "https://a.test", PROXY],
    ["USER:PASSWORD@HOST:PORT", { HTTPS_PROXY: "me:secret@proxy.corp:3128" }, "https://a.test", PROXY],
    ["an https proxy", { HTTPS_PROXY: "https://proxy.corp" }, "https://a.test", "https://proxy.corp"],
  ])("takes %s", (_name, environment, origin, url) => {
    expect(proxyFor(readOutboundProxies(environment), origin)?.url).toBe(url);
  });

  it.each([
    "http://localhost:1",
    "https://LOCALHOST",
    "https://app.localhost",
    "https://127.0.0.1",
    "https://127.8.8.8:3",
    "https://[::1]:3",
  ])("never carries %s", (origin) => {
    expect(proxyFor(readOutboundProxies({ ALL_PROXY: PROXY }), origin)).toBeUndefined();
  });

  it.each([
    ["*", "https://a.test", true],
    ["a.test", "https://a.test", true],
    ["A.Test", "https://a.test", true],
    ["a.test", "https://sub.a.test", true],
    [".a.test", "https://sub.a.test", true],
    ["*.a.test", "https://sub.a.test", true],
    ["a.test", "https://ba.test", false],
    ["other.test, a.test", "https://a.test", true],
    ["other.test a.test", "https://a.test", true],
    ["a.test:443", "https://a.test", true],
    ["a.test:8443", "https://a.test", false],
    ["a.test:8443", "https://a.test:8443", true],
    ["*:8443", "https://a.test:8443", true],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["10.1.2.3:8080", "http://10.1.2.3:8080", true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99", "https://10.1.2.3", false],
    ["2001:db8::1", "https://[2001:db8::1]", true],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443", true],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]", false],
    ["2001:db8::/32", "https://[2001:db8::7]", true],
    [",", "https://a.test", false],
  ])("with NO_PROXY=%s leaves out %s: %s", (exceptions, origin, isLeftOut) => {
    const proxies = readOutboundProxies({ ALL_PROXY: PROXY, NO_PROXY: exceptions });
    expect(proxyFor(proxies, origin) === undefined).toBe(isLeftOut);
  });

  it.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])(
    "refuses a wrong URL, naming %s and never the password",
    (variable) => {
      for (const value of ["nonsense", "http://", "ftp://me:hunter22@p:1", "http://me:hunter22%@p"]) {
        const read = () => readOutboundProxies({ [variable]: value });
        expect(read).toThrow(expect.objectContaining({ code: "configuration" }));
        expect(read).toThrow(`Cannot use ${variable}: `);
        expect(read).not.toThrow("hunter22");
      }
    },
  );

  it("ignores a SOCKS proxy for all programs, and refuses one that is meant for HTTP", () => {
    const socks = "socks5://me:hunter22@p:1";
    expect(readOutboundProxies({ ALL_PROXY: socks })).toEqual({
      http: undefined,
      https: undefined,
      exceptions: [],
    });
    expect(() => readOutboundProxies({ HTTPS_PROXY: socks })).toThrow("Cannot use HTTPS_PROXY");
  });

  it("keeps credentials out of what is shown", () => {
    const proxies = readOutboundProxies({
      ALL_PROXY: "http://me:p%40ssw%C3%B6rd@proxy.corp:3128",
      NO_PROXY: "a.test",
    });
    const authorization = `Basic ${Buffer.from("me:p@sswörd").toString("base64")}`;
    expect(proxies.https).toMatchObject({ url: PROXY, authorization });
    expect(describeProxies(proxies)).toEqual([
      `https through ${PROXY} (ALL_PROXY)`,
      `http through ${PROXY} (ALL_PROXY)`,
      "except a.test (NO_PROXY)",
    ]);
  });
});
