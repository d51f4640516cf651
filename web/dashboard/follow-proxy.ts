import type { DashboardState } from "../../src/proxy/dashboard/api-types.ts";
import { baseUrl } from "./base-url.ts";
import { keptKey } from "./key.ts";

export interface Follower {
  readonly onState: (state: DashboardState) => void;
  /** The connection is lost and is being retried. */
  readonly onLost: () => void;
  /** A key is needed; resolves when another may have been given. */
  readonly onLocked: (wasWrong: boolean) => Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** The proxy speaks up at least every 15 s. */
const SILENCE_MS = 40_000;

/** Follows the proxy's events for as long as the page is open, and looked at. */
export async function followProxy(follower: Follower): Promise<never> {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    await untilVisible();
    const key = keptKey();
    const outcome = await listen(key, follower).catch(() => "lost" as const);
    if (outcome === "locked") {
      await follower.onLocked(key !== undefined);
      pause = FIRST_PAUSE_MS;
      continue;
    }
    if (outcome === "lost") follower.onLost();
    else pause = FIRST_PAUSE_MS;
    await sleep(pause * (0.75 + Math.random() / 2));
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

/**
 * One stream from its beginning to its end. By `fetch` and not by `EventSource`, which could show no key but in the URL.
 * "ended" is one that was there: the proxy ends it where it wants to be asked again.
 */
async function listen(key: string | undefined, follower: Follower): Promise<"locked" | "lost" | "ended"> {
  const aborter = new AbortController();
  const stop = () => document.hidden && aborter.abort();
  document.addEventListener("visibilitychange", stop);
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => aborter.abort(), SILENCE_MS);
  };
  wake();
  let received = false;
  try {
    const headers = key === undefined ? {} : { "x-api-key": key };
    const response = await fetch(`${baseUrl(location)}/internal/dashboard/events`, {
      headers,
      signal: aborter.signal,
    });
    if (response.status === 401) return "locked";
    if (!response.ok || !response.body) return "lost";
    for await (const data of dataIn(response.body, wake)) {
      received = true;
      follower.onState(JSON.parse(data));
    }
  } catch (error) {
    if (!document.hidden) throw error;
  } finally {
    clearTimeout(watchdog);
    document.removeEventListener("visibilitychange", stop);
  }
  return received ? "ended" : "lost";
}

function untilVisible(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The `data` of each event of a stream, whose events have one line of it each; comments are nothing. */
async function* dataIn(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string, void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) yield event.slice("data: ".length);
  }
}
