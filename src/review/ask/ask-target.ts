import type { OutboundFetch } from "../../http/outbound-fetch.ts";

/** The model that the person configured: `review.ask` of the configuration file. */
export interface AskTarget {
  /** The address of an API of the chat-completions dialect, with or without `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; absent for a proxy without keys. */
  readonly apiKey?: string | undefined;
  readonly fetch: OutboundFetch;
}

/** Returns the URL to which questions are sent. */
export function askUrl({ baseUrl }: Pick<AskTarget, "baseUrl">): string {
  const base = baseUrl.replace(/\/+$/, "");
  return `${/\/v\d+$/.test(base) ? base : `${base}/v1`}/chat/completions`;
}
