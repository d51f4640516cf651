import type { DashboardState } from "../../../src/proxy/dashboard/api-types.ts";
import { baseUrl } from "../data/base-url.ts";

export interface Follower {
  readonly onState: (state: DashboardState) => void;
  /** Called when a connection fails or ends without an event. The page then reconnects. */
  readonly onLost: () => void;
  /** Called when another key is required. */
  readonly onLocked: () => void;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Milliseconds without data after which the page reconnects. The proxy sends data about every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Receives the proxy's events while the page is open and visible. Reconnects with exponential backoff. Resolves when
 * the signal is aborted or another key is required.
 */
export async function followProxy(
  follower: Follower,
  key: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await untilVisible(signal);
    if (signal.aborted) return;
    const outcome = await listen(key, follower, signal).catch(() => "lost" as const);
    if (signal.aborted) return;
    if (outcome === "locked") return follower.onLocked();
    if (outcome === "lost") follower.onLost();
    else pause = FIRST_PAUSE_MS;
    await sleep(pause * (0.75 + Math.random() / 2));
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
  }
}

/**
 * Reads one event stream to its end, or until the page is hidden. Uses `fetch`, because `EventSource` can send a key
 * only in the URL. Resolves to "ended" if events were received, "lost" if none were, or "locked" if another key is
 * required. Rejects if the connection breaks while the page is visible.
 */
async function listen(
  key: string | undefined,
  follower: Follower,
  signal: AbortSignal,
): Promise<"locked" | "lost" | "ended"> {
  const aborter = new AbortController();
  signal.addEventListener("abort", () => aborter.abort(), { signal: aborter.signal });
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
    const headers: HeadersInit = key === undefined ? {} : { "x-api-key": key };
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

/** Resolves when the page is visible or the signal is aborted. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Yields the `data` of each event. Events have one `data` line each; comments are skipped. */
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
