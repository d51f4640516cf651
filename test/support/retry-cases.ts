import { type FakeUpstream, json } from "./fake-upstream.ts";

/** The upstream's responses to the attempts of one call, and the expected result in both lanes. */
export const retryCases = [
  { name: "grants a short wish to wait: 503", refusals: [503], wait: "0", calls: 2 },
  { name: "grants a short wish to wait: 429", refusals: [429], wait: "0", calls: 2 },
  { name: "grants a short wish to wait: 529", refusals: [529], wait: "0", calls: 2 },
  { name: "grants no more than two", refusals: [503, 503, 503], wait: "0", calls: 3, status: 503 },
  { name: "hands a long wish to wait on: 503", refusals: [503], wait: "3600", calls: 1, status: 503 },
  { name: "hands a long wish to wait on: 429", refusals: [429], wait: "3600", calls: 1, status: 429 },
  { name: "hands a long wish to wait on: 529", refusals: [529], wait: "3600", calls: 1, status: 529 },
] as const;

export type RetryCase = (typeof retryCases)[number];

/** Makes the upstream reject calls as the case defines, and succeed after that. */
export function refuseAtFirst(upstream: FakeUpstream, { refusals, wait }: RetryCase, body: string): void {
  upstream.respond = (hit, response) => {
    const status = refusals[upstream.hits.length - 1];
    const refusal = () => json({ error: {} }, status, { "retry-after": wait });
    return (status === undefined ? json(body) : refusal())(hit, response);
  };
}

/**
 * The compared parts of the result: the status, the client's `retry-after` and `x-should-retry`, and the number of
 * upstream calls.
 */
export const outcomeOf = (response: Response, upstream: FakeUpstream) => ({
  status: response.status,
  wait: response.headers.get("retry-after"),
  calls: upstream.hits.length,
});

/** Returns the expected result of a case. `statusOf` converts an upstream's status to the client's dialect. */
export const expectedOf = (one: RetryCase, statusOf = (status: number) => status) =>
  "status" in one
    ? { status: statusOf(one.status), wait: one.wait, calls: one.calls }
    : { status: 200, wait: null, calls: one.calls };
