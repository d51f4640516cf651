import { type FakeUpstream, json } from "./fake-upstream.ts";

/** What an upstream answers one call with, try after try, and what comes of it, whichever lane the call takes. */
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

/** Has the upstream refuse as the case says, and answer well after that. */
export function refuseAtFirst(upstream: FakeUpstream, { refusals, wait }: RetryCase, body: string): void {
  upstream.respond = (hit, response) => {
    const status = refusals[upstream.hits.length - 1];
    const refusal = () => json({ error: {} }, status, { "retry-after": wait });
    return (status === undefined ? json(body) : refusal())(hit, response);
  };
}

/** What is held of the answer: status, the wish that the client is told, how often the upstream was called. */
export const outcomeOf = (response: Response, upstream: FakeUpstream) => ({
  status: response.status,
  wait: response.headers.get("retry-after"),
  calls: upstream.hits.length,
});

/** What a case comes to. `statusOf` says how the client's dialect spells an upstream's status. */
export const expectedOf = (one: RetryCase, statusOf = (status: number) => status) =>
  "status" in one
    ? { status: statusOf(one.status), wait: one.wait, calls: one.calls }
    : { status: 200, wait: null, calls: one.calls };
