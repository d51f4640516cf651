import type { DashboardState, FinishedCall } from "../../src/proxy/dashboard/api-types.ts";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");

/** A dashboard without calls. */
export const emptyState: DashboardState = {
  now: NOW,
  startedAt: NOW - 60_000,
  isDraining: false,
  configuration: { readAt: NOW - 60_000 },
  needsKey: false,
  live: [],
  calls: [],
  total: { calls: 0, errors: 0, input: 0, cached: 0, output: 0, unpriced: 0 },
  models: [],
  upstreams: [],
  rules: [],
  mcp: [],
};

export function finished(more: Partial<FinishedCall>): FinishedCall {
  return {
    id: "r1",
    time: "2026-11-22T11:59:00.000Z",
    method: "POST",
    route: "/v1/messages",
    model: "m",
    upstream: "a",
    status: 200,
    ms: 12,
    stream: false,
    retries: 0,
    losses: [],
    ...more,
  };
}
