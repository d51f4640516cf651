import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callFaulty,
  type FailureCase,
  type FaultyUpstream,
  isEnvelope,
  type Received,
  startFaultyUpstream,
} from "../support/faulty-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";
import { TRANSLATED_FAILURES } from "../support/translated-errors.ts";
import { SECRET, UPSTREAM_FAILURES } from "../support/upstream-errors.ts";
import { type ClientDialect, DIALECTS } from "../support/vendor-responses.ts";

const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((upstream) => upstream !== client).map((upstream) => ({ client, upstream })),
);
const MODES = [
  { mode: "JSON", isStream: false },
  { mode: "stream", isStream: true },
  { mode: "array", isStream: true, isArray: true },
];
const ALL_FAILURES = [...UPSTREAM_FAILURES, ...TRANSLATED_FAILURES];

/** The same faults for whole responses and streams of every pair of different dialects. */
const CASES = PAIRS.flatMap(({ client, upstream }) =>
  MODES.filter(({ isArray }) => !isArray || client === "generative-language").flatMap(({ mode, ...how }) =>
    ALL_FAILURES.filter(({ only }) => only === undefined || only === (how.isStream ? "stream" : "json"))
      .filter(({ needsEnd }) => !needsEnd || upstream !== "generative-language")
      .map((failure) => ({
        title: `${client} to ${upstream}, ${mode}: ${failure.name}`,
        client,
        upstream,
        ...how,
        failure,
      })),
  ),
);

/** The events that end a stream, with success or an error. Exactly one must occur, as the last event. */
const ENDS: Record<ClientDialect, { readonly good: RegExp; readonly bad: RegExp }> = {
  "chat-completions": { good: /^data: \[DONE\]\n/gm, bad: /^data: \{"error":/gm },
  responses: {
    good: /^event: response\.(?:completed|incomplete)\n/gm,
    bad: /^event: (?:error|response\.failed)\n/gm,
  },
  messages: { good: /^event: message_stop\n/gm, bad: /^event: error\n/gm },
  "generative-language": { good: /"finishReason":/g, bad: /^data: \{"error":/gm },
};

let proxy: TestProxy;
let vendor: FaultyUpstream;
const slow = new Map<number, Promise<Received>>();

/** Cases that wait, for a time limit or between attempts, run concurrently. */
beforeAll(async () => {
  vendor = await startFaultyUpstream(CASES);
  proxy = await startTestProxy(vendor.settings);
  for (const [number, each] of CASES.entries()) {
    const isRepeated = /before the head|half a head|not HTTP|once|a reset, then/.test(each.failure.name);
    if (each.failure.silence || isRepeated) slow.set(number, callFaulty(proxy.url, number, each));
  }
});
afterAll(async () => {
  await proxy.close();
  await vendor.close();
  expect(proxy.internal).toEqual([]);
  expect(JSON.stringify(proxy.records)).not.toContain(SECRET);
});

describe.concurrent("faults of an upstream in the translation lane", () => {
  it.each(CASES.map((each, number) => [each.title, { ...each, number }] as const))(
    "%s",
    async (_title, { number, ...each }) => {
      const { failure, client } = each;
      const received = await (slow.get(number) ?? callFaulty(proxy.url, number, each));
      expect(received.text).not.toContain(SECRET);
      expect(received.isBroken).toBe(false);
      if (failure.isGood) expectGood(each, received);
      else if (received.status === 200) {
        expect(failure.statuses ?? []).toEqual([]);
        expectFailedStream(each, received);
      } else {
        // Vendors report an overload with 529 or 503, and clients know only their own vendor's status.
        const statuses = (failure.statuses ?? [502, 504]).flatMap((each) =>
          each === 503 || each === 529 ? [503, 529] : each,
        );
        expect(statuses).toContain(received.status);
        expect(isEnvelope[client](JSON.parse(received.text))).toBe(true);
      }
      // In every case, the upstream call has ended: its connection is free again or closed.
      if (TRANSLATED_FAILURES.includes(failure)) await until(() => vendor.open(number) === 0);
    },
  );

  it("hands a vendor's wish to wait on to the client", async () => {
    for (const [number, each] of CASES.entries()) {
      if (each.failure.name !== "status 429 for an hour") continue;
      const received = await callFaulty(proxy.url, number, each);
      expect([received.status, received.headers.get("retry-after")]).toEqual([429, "3600"]);
    }
  });
});

function expectGood({ client, isStream, isArray }: FailureCase, { status, text }: Received): void {
  const received = Buffer.from(text, "latin1").toString();
  expect([status, received.split("déjà").length > 1]).toEqual([200, true]);
  if (!isStream || isArray) JSON.parse(received);
  else {
    expectOneEnd(text, ENDS[client].good);
    expect(text).not.toMatch(ENDS[client].bad);
  }
}

function expectFailedStream({ client, isStream, isArray }: FailureCase, { text }: Received): void {
  expect(isStream).toBe(true);
  if (isArray) {
    const responses: Record<string, unknown>[] = JSON.parse(text);
    expect(responses.map((response) => "error" in response).indexOf(true)).toBe(responses.length - 1);
    return;
  }
  expectOneEnd(text, ENDS[client].bad);
  expect(text).not.toMatch(ENDS[client].good);
}

function expectOneEnd(text: string, end: RegExp): void {
  const found = [...text.matchAll(end)];
  expect(found).toHaveLength(1);
  expect(text.slice(found[0]?.index).split("\n\n").filter(Boolean)).toHaveLength(1);
}
