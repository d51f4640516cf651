import type { IncomingHttpHeaders } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseRetryAfter, retryAfterSeconds } from "../../../src/proxy/exchange/error-status.ts";
import { requestedPause, withPauseInBody } from "../../../src/proxy/routing/retry-after.ts";

const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");

test.each([
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT" }, 5000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT" }, 0],
  [{ "retry-after": "2", "retry-after-ms": "1250" }, 1250],
  [{ "retry-after": "2", "retry-after-ms": "soon" }, 2000],
  [{ "retry-after": "2", "retry-after-ms": "" }, 2000],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "1", "retry-after-ms": "Infinity" }, 1000],
  [{}, undefined],
])("the pause requested by %o is %s ms", (headers, milliseconds) => {
  expect(parseRetryAfter(headers, now)).toBe(milliseconds);
  expect(retryAfterSeconds(headers, now)).toBe(milliseconds && Math.ceil(milliseconds / 1000));
});

const limited = JSON.stringify({
  error: {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: 'Say \\"retryDelay\\": \\"9s\\"',
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" },
    ],
  },
});

test.each([
  ["the details of an error", 429, {}, limited, 34_500],
  ["a list of errors, as in Google's other dialects", 503, {}, `[${limited}]`, 34_500],
  ["a compressed body", 429, { "content-encoding": "gzip" }, gzipSync(limited), 34_500],
  ["a header, which takes precedence over the body", 429, { "retry-after": "2" }, limited, 2000],
  ["a body that contains no pause", 429, {}, '{"error":{"code":429}}', undefined],
  ["a body that does not match its content coding", 429, { "content-encoding": "gzip" }, limited, undefined],
  ["an error that is not temporary", 400, {}, limited, undefined],
])("the pause requested by %s", async (_, status, headers: IncomingHttpHeaders, body, milliseconds) => {
  const refusal = { kind: "refused", status, headers, body: Buffer.from(body) } as const;
  expect(requestedPause(await withPauseInBody(refusal))).toBe(milliseconds);
});
