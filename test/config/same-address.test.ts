import { expect, it } from "vitest";
import { isSameAddress } from "../../src/config/loopback.ts";

it.each([
  ["http://127.0.0.1:8045", "http://localhost:8045/v1", true],
  ["http://127.0.0.1:8045", "http://[::1]:8045", true],
  ["http://127.0.0.1:8045", "http://127.0.0.2:8045/x", true],
  ["http://127.0.0.1:8045", "http://0.0.0.0:8045", true],
  ["http://127.0.0.1:8045", "http://127.0.0.1:8046", false],
  ["http://127.0.0.1:8045", "https://api.example.com", false],
  ["http://10.0.0.5:8045", "http://10.0.0.5:8045/v1", true],
  ["http://10.0.0.5:80", "http://10.0.0.5", true],
  ["http://127.0.0.1:8045", "http://localhost.example.com:8045", false],
])("%s and %s: %s", (one, other, same) => {
  expect(isSameAddress(one, other)).toBe(same);
});
