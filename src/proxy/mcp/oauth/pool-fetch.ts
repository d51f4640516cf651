import type { Pools } from "../../upstream/pools.ts";
import { readText, sendUpstream } from "../../upstream/send.ts";

/** Limits of the requests for a sign-in or a refresh, whose responses are small. */
const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** The part of `fetch` that the SDK's functions for OAuth use. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Creates a `fetch` that uses the proxy's connection pools, and so `HTTPS_PROXY`, and follows no redirects. */
export function createPoolFetch(pools: Pools): Fetch {
  return async (given, init = {}) => {
    const url = new URL(given);
    const { body, method = "GET" } = init;
    const headers = [...new Headers(init.headers)].flat();
    if (body instanceof URLSearchParams && !new Headers(init.headers).has("content-type"))
      headers.push("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
    const received = await sendUpstream(pools.get(url.origin, CONNECT_MS), url.host, {
      method: method === "POST" ? "POST" : "GET",
      path: `${url.pathname}${url.search}`,
      headers: [...headers, "accept-encoding", "identity"],
      body: body == null ? null : String(body),
      firstByteMs: RESPONSE_MS,
      idleMs: RESPONSE_MS,
    });
    const text = await readText(received, url.host, MAX_BYTES);
    const names = Object.entries(received.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    );
    // Responses with these statuses cannot have a body.
    const isEmpty = [204, 205, 304].includes(received.status);
    return new Response(isEmpty ? null : text, { status: received.status, headers: names });
  };
}
