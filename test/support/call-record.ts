import type { CallRecord } from "../../src/proxy/observability/request-log.ts";

/** The record of an ordinary successful call. */
export function callRecord(more: Partial<CallRecord> = {}): CallRecord {
  return {
    time: "2026-11-22T12:00:00.000Z",
    id: "r",
    key: undefined,
    client: "127.0.0.1",
    method: "POST",
    route: "/v1/messages",
    model: "m",
    upstream: "a",
    upstreamModel: "m",
    status: 200,
    ms: 10,
    firstByteMs: undefined,
    stream: false,
    retries: 0,
    usage: undefined,
    cost: undefined,
    losses: [],
    errorMessage: undefined,
    ...more,
  };
}
