import { expect, test } from "vitest";
import { pauseAsked } from "../../../src/proxy/upstream/tried.ts";

const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT");

test.each([
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Wed, 21 Oct 2026 07:28:05 GMT" }, 5000],
  [{ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT" }, 0],
  [{ "retry-after": "2", "retry-after-ms": "1250" }, 1250],
  [{ "retry-after": "2", "retry-after-ms": "soon" }, 2000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("the pause that %o asks for is %s ms", (headers, milliseconds) => {
  expect(pauseAsked(headers, now)).toBe(milliseconds);
});
