import { fetch, type RequestInit } from "undici";
import { asObject, tryParseJson } from "../../exchange/json.ts";
import type { ServerClock } from "./server-clock.ts";
import type { SignIn } from "./sign-in.ts";

/** Milliseconds before the expiry of a token at which it is replaced, but at most half of its lifetime. */
const REFRESH_MS = 5 * 60_000;
/** Milliseconds after which a failed request is repeated while the earlier value is valid. */
const RETRY_MS = 30_000;
/** Maximum milliseconds that a request to a token service may take. */
export const TIMEOUT_MS = 30_000;

export interface Token {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Returns a sign-in that sends a token. It requests another token before the token expires, and after a rejection with
 * status 401.
 */
export function createTokenSignIn(request: () => Promise<Token>): SignIn {
  const token = createRenewed(request);
  return {
    async sign() {
      const { text } = await token.get();
      return ["authorization", `Bearer ${text}`];
    },
    renew({ status, signed }) {
      if (status !== 401) return false;
      token.forget(({ text }) => signed.includes(`Bearer ${text}`));
      return true;
    },
  };
}

/** A value that is requested at first use, and again before it expires. Concurrent calls share a request. */
export interface Renewed<Value> {
  /** Resolves with the value. Rejects only if a request fails and no earlier value is still valid. */
  get(): Promise<Value>;
  /** Discards the value if `isRejected` returns true for it. */
  forget(isRejected: (value: Value) => boolean): void;
}

/** Creates a renewed value. */
export function createRenewed<Value extends { readonly expiresAt: number }>(
  request: () => Promise<Value>,
): Renewed<Value> {
  let current: Value | undefined;
  let pending: Promise<Value> | undefined;
  let refreshAt = 0;
  const requestAndKeep = async () => {
    try {
      current = await request();
      const { expiresAt } = current;
      refreshAt = Math.max(expiresAt - REFRESH_MS, (Date.now() + expiresAt) / 2);
      return current;
    } finally {
      pending = undefined;
    }
  };
  const renew = () => {
    pending ??= requestAndKeep();
    return pending;
  };
  return {
    async get() {
      const now = Date.now();
      const known = current;
      if (known === undefined || now >= known.expiresAt) return renew();
      if (now < refreshAt) return known;
      // The value is still valid, so a failure of the token service does not fail calls.
      try {
        return await renew();
      } catch {
        refreshAt = now + RETRY_MS;
        return known;
      }
    },
    forget(isRejected) {
      if (current !== undefined && isRejected(current)) current = undefined;
    },
  };
}

/** Options of `fetchText` in addition to those of `fetch`. */
export interface FetchOptions extends RequestInit {
  readonly timeoutMs?: number;
  /** The clock to set to the server's time if the server rejects the request. */
  readonly clock?: ServerClock | undefined;
}

/**
 * Fetches a URL and resolves with the body as text. Rejects with the server's reason if the status is not 2xx, and with
 * the error of `fetch` if the server cannot be reached in time.
 */
export async function fetchText(
  url: string | URL,
  { timeoutMs = TIMEOUT_MS, clock, ...init }: FetchOptions = {},
): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (response.ok) return text;
  clock?.correct(response.headers.get("date"));
  const { error, error_description: description } = asObject(tryParseJson(text));
  const { message } = asObject(error);
  const reason = description ?? message ?? error ?? `status ${response.status}`;
  throw new Error(String(reason).split("\r\n")[0]);
}

/** Returns the time at which a token expires. `seconds` is its lifetime; undefined stands for 10 minutes. */
export function toExpiry(seconds: number | undefined): number {
  return Date.now() + (seconds ?? 600) * 1000;
}
