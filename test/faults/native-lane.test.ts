import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callFaulty,
  type FaultyUpstream,
  isEnvelope,
  startFaultyUpstream,
} from "../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";
import { SECRET, UPSTREAM_FAILURES } from "../support/upstream-errors.ts";
import { type ClientDialect, DIALECTS, goodBody } from "../support/vendor-responses.ts";

/** The same faults for whole responses and streams of every dialect. */
const CASES = DIALECTS.flatMap((dialect) =>
  [false, true].flatMap((isStream) =>
    UPSTREAM_FAILURES.filter(({ only }) => only === undefined || only === (isStream ? "stream" : "json")).map(
      (failure) => ({
        title: `${dialect}, ${isStream ? "stream" : "JSON"}: ${failure.name}`,
        client: dialect,
        upstream: dialect,
        isStream,
        failure,
      }),
    ),
  ),
);

let proxy: TestProxy;
let vendor: FaultyUpstream;
beforeAll(async () => {
  vendor = await startFaultyUpstream(CASES);
  proxy = await startTestProxy(vendor.settings);
});
afterAll(async () => {
  await proxy.close();
  await vendor.close();
  expect(proxy.internal).toEqual([]);
});

/** The error event of each dialect. */
const ERROR_EVENT: Record<ClientDialect, RegExp> = {
  "chat-completions": /data: \{"error":.*\}\n\n$/,
  responses: /event: error\ndata: .*\n\n$/,
  messages: /event: error\ndata: .*\n\n$/,
  "generative-language": /data: \{"error":.*\}\n\n$/,
};

describe.concurrent("faults of an upstream in the native lane", () => {
  it.each(CASES.map((each, number) => [each.title, { ...each, number }] as const))(
    "%s",
    async (_title, { number, ...each }) => {
      const { client: dialect, isStream, failure } = each;
      const received = await callFaulty(proxy.url, number, each);
      expect(received.text).not.toContain(SECRET);
      if (failure.isGood) {
        expect([received.status, received.isBroken]).toEqual([200, false]);
        const sent = (failure.body ?? goodBody)(dialect, isStream);
        expect(Buffer.from(received.text, "latin1").toString() === sent).toBe(true);
      } else if (received.status !== 200) {
        // If the connection breaks, bytes that were not read yet can be lost.
        expect(failure.statuses ?? [502, 504]).toContain(received.status);
        if (received.status >= 500 && !failure.name.startsWith("status"))
          expect(isEnvelope[dialect](JSON.parse(received.text))).toBe(true);
      } else {
        // Bytes had already been sent: the stream must end with the dialect's error event or a broken connection,
        // never cleanly.
        expect(failure.statuses ?? []).not.toContain(502);
        expect(received.isBroken || ERROR_EVENT[dialect].test(received.text)).toBe(true);
      }
    },
  );

  it("hands a vendor's wish to wait on to the client", async () => {
    const number = CASES.findIndex(({ failure }) => failure.name === "status 429 for an hour");
    const each = CASES[number];
    const received = each && (await callFaulty(proxy.url, number, each));
    expect(received?.headers.get("retry-after")).toBe("3600");
  });
});
