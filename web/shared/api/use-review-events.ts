import { useEffect, useEffectEvent } from "react";
import type { ReviewEvent } from "../../../src/review/api-types.ts";

const NAMES: readonly ReviewEvent["event"][] = [
  "hello",
  "decided",
  "closing",
  "stale",
  "caller-doubtful",
  "decided-by-program",
  "thread",
  "round",
  "agent",
  "draft",
  "reviews",
];

const RETRY_MS = 5_000;

interface Listeners {
  readonly onEvent: (event: ReviewEvent) => void;
  /**
   * Called when the connection is opened, lost or restored. The browser reconnects after a network error. After an
   * error response, the hook reconnects if the connection was open before.
   */
  readonly onConnection: (connected: boolean) => void;
}

/**
 * Subscribes to /api/events while the component is mounted. If the server lacks the route, the connection is not
 * reported as lost.
 */
export function useReviewEvents({ onEvent, onConnection }: Listeners): void {
  const handleEvent = useEffectEvent(onEvent);
  const handleConnection = useEffectEvent(onConnection);
  useEffect(() => {
    let source: EventSource;
    let wasOpen = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      source = new EventSource("/api/events");
      source.onopen = () => {
        wasOpen = true;
        handleConnection(true);
      };
      source.onerror = () => {
        if (!wasOpen) return;
        handleConnection(false);
        // The browser stops reconnecting after an error response; the next review may still start at this address.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(follow, RETRY_MS);
      };
      for (const name of NAMES) {
        source.addEventListener(name, (message: MessageEvent<string>) => {
          handleEvent({ event: name, ...parse(message.data) } as ReviewEvent);
        });
      }
    };
    follow();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, []);
}

function parse(data: string): object {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
