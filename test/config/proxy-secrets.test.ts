import { expect, it } from "vitest";
import { isSecretHeader, secretsOf } from "../../src/config/proxy-secrets.ts";

it.each(["Authorization", "x-api-key", "Cookie", "x-password", "X-Auth-Token"])(
  "knows %s for a secret",
  (name) => {
    expect(isSecretHeader(name)).toBe(true);
  },
);

it("tells all secrets, with their scheme and without, the longest first and each once", () => {
  const headers = [{ authorization: "Bearer 0123456789", accept: "application/json" }, { cookie: "short" }];
  expect(secretsOf(["key-of-sixteen-ch", "0123456789"], headers)).toEqual([
    "key-of-sixteen-ch",
    "Bearer 0123456789",
    "0123456789",
  ]);
});
