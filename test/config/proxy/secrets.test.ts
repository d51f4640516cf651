import { expect, it } from "vitest";
import {
  collectSecrets,
  isSecretHeader,
  secretsInUrl,
  withoutUrlSecrets,
} from "../../../src/config/proxy/secrets.ts";

it.each(["Authorization", "x-api-key", "Cookie", "x-password", "X-Auth-Token"])(
  "knows %s for a secret",
  (name) => {
    expect(isSecretHeader(name)).toBe(true);
  },
);

it("returns every secret once, with and without its scheme, longest first", () => {
  const headers: Record<string, string>[] = [
    { authorization: "Bearer 0123456789", accept: "application/json" },
    { cookie: "short" },
  ];
  expect(collectSecrets(["key-of-sixteen-ch", "0123456789"], headers)).toEqual([
    "key-of-sixteen-ch",
    "Bearer 0123456789",
    "0123456789",
  ]);
});

it("finds the secrets that a URL's query holds, and shows the URL without them", () => {
  const url = "https://x/mcp?api-version=1&Api_Key=sk%20one&token=two#key=3";
  expect(secretsInUrl(url)).toEqual(["sk one", "sk%20one", "two", "two"]);
  expect(withoutUrlSecrets(url)).toBe(
    "https://x/mcp?api-version=1&Api_Key=[redacted]&token=[redacted]#key=3",
  );
  expect(withoutUrlSecrets("is the token=x right?")).toBe("is the token=x right?");
});
