import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { upstreamHeaders } from "../../../src/proxy/upstream/request-headers.ts";
import { clientHeaders } from "../../../src/proxy/upstream/response-headers.ts";
import { configOf } from "../../support/start-proxy.ts";

function upstreamOf(settings: object = {}) {
  const config = configOf({
    upstreams: { a: { dialect: "messages", base_url: "http://x", api_key: "sk-own-key", ...settings } },
  });
  const upstream = config.upstreams.get("a");
  if (!upstream) throw new Error("no upstream");
  return upstream;
}

function sent(rawHeaders: string[], settings: object = {}): Record<string, string> {
  const upstream = upstreamOf(settings);
  const [key] = upstream.keys;
  const needs = { key, via: "v", acceptEncoding: undefined, contentLength: 2, isOwnKey: () => false };
  const list = upstreamHeaders(rawHeaders, { upstream, ...needs });
  return Object.fromEntries(
    list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : [])),
  );
}

describe("headers on their way to an upstream", () => {
  it("lose what belongs to the connection, also what Connection names", () => {
    const headers = sent([
      "Connection",
      "close, X-Hop , authorization",
      "X-Hop",
      "1",
      "TE",
      "trailers",
      "Kept",
      "yes",
    ]);
    expect(headers["kept"]).toBe("yes");
    for (const name of ["connection", "x-hop", "te"]) expect(headers[name]).toBeUndefined();
  });

  it("carry the configured headers instead of the client's", () => {
    const headers = sent(["X-Team", "theirs", "anthropic-version", "theirs"], {
      headers: { "x-team": "ours", "Anthropic-Version": "ours" },
    });
    expect(headers).toMatchObject({
      "x-team": "ours",
      "anthropic-version": "ours",
      "x-api-key": "sk-own-key",
    });
  });

  it("never carry a client's credentials or connection headers, in any spelling or order", () => {
    const stopped = [
      "Authorization",
      "X-API-KEY",
      "x-goog-api-key",
      "Cookie",
      "Host",
      "Transfer-Encoding",
      "X-Forwarded-For",
      "Sec-Fetch-Site",
    ];
    const name = fc.oneof(fc.constantFrom(...stopped), fc.stringMatching(/^[a-z-]{1,12}$/));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.constant("canary"))), (pairs) => {
        const headers = sent(pairs.flat());
        for (const each of stopped) expect(headers[each.toLowerCase()]).not.toBe("canary");
        expect(headers["x-api-key"]).toBe("sk-own-key");
        expect(headers["content-length"]).toBe("2");
      }),
    );
  });
});

describe("headers on their way to a client", () => {
  it("are those on the list, and ours", () => {
    const list = clientHeaders(
      {
        "content-type": "application/json",
        "request-id": "r",
        "anthropic-ratelimit-requests-remaining": "1",
        "set-cookie": ["a=b"],
        "alt-svc": "h3",
        "access-control-allow-origin": "*",
        "strict-transport-security": "x",
        "transfer-encoding": "chunked",
        "x-named": "1",
      },
      ["x-sallyport-request-id", "id"],
    );
    const names = list.filter((_, index) => index % 2 === 0);
    expect(names.toSorted()).toEqual([
      "anthropic-ratelimit-requests-remaining",
      "content-type",
      "cross-origin-resource-policy",
      "request-id",
      "x-content-type-options",
      "x-sallyport-request-id",
    ]);
  });
});
