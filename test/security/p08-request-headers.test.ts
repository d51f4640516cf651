import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sentHeaders } from "../support/sent-headers.ts";

/** Headers that must not reach an upstream. The last ones could impersonate the proxy. */
const STOPPED = [
  ...[
    "Connection",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
  ],
  ...[
    "Transfer-Encoding",
    "Upgrade",
    "Expect",
    "Host",
    "Authorization",
    "X-API-KEY",
    "x-gen-api-key",
    "x-goog-api-key",
  ],
  ...[
    "Cookie",
    "Cookie2",
    "Forwarded",
    "Via",
    "X-Real-IP",
    "Origin",
    "Referer",
    "X-Forwarded-For",
    "X-Forwarded-Host",
  ],
  ...[
    "X-Forwarded-Proto",
    "Sec-Fetch-Site",
    "Sec-WebSocket-Key",
    "CF-Connecting-IP",
    "Access-Control-Request-Method",
  ],
  ...["Content-Length", "Accept-Encoding", "X-Sallyport-Via"],
];

describe("P8 request headers to an upstream", () => {
  it("contain no connection headers, nor those that Connection names", () => {
    const headers = sentHeaders([
      ...["Connection", "close, X-Hop , authorization", "X-Hop", "1", "TE", "trailers", "Kept", "yes"],
      ...["connection", "x-other", "X-Other", "1"],
    ]);
    expect(headers["kept"]).toBe("yes");
    for (const name of ["connection", "x-hop", "x-other", "te"]) expect(headers[name]).toBeUndefined();
  });

  it("contain the proxy's own headers, whatever Connection names", () => {
    const headers = sentHeaders([
      "Connection",
      "x-api-key, anthropic-version, content-length, x-sallyport-via",
    ]);
    expect(headers).toMatchObject({
      "x-api-key": "sk-own-key",
      "content-length": "2",
      "x-sallyport-via": "v",
    });
    expect(headers["anthropic-version"]).toBeDefined();
  });

  it("contain configured headers instead of the client's", () => {
    const headers = sentHeaders(["X-Team", "theirs", "anthropic-version", "theirs"], {
      headers: { "x-team": "ours", "Anthropic-Version": "ours" },
    });
    expect(headers).toMatchObject({
      "x-team": "ours",
      "anthropic-version": "ours",
      "x-api-key": "sk-own-key",
    });
  });

  it("never contain a client's credentials or connection headers, in any spelling or order", () => {
    const spelled = fc.constantFrom(...STOPPED).chain((name) => fc.mixedCase(fc.constant(name)));
    const name = fc.oneof(spelled, fc.stringMatching(/^[a-z-]{1,12}$/));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.constant("canary"))), (pairs) => {
        const headers = sentHeaders(pairs.flat());
        for (const each of STOPPED) expect(headers[each.toLowerCase()]).not.toBe("canary");
        expect(headers["x-api-key"]).toBe("sk-own-key");
        expect(headers["content-length"]).toBe("2");
      }),
    );
  });
});
