import { useEffect, useEffectEvent } from "react";
import type { ReviewEvent } from "../../../src/review/api-types.ts";

const NAMES: readonly ReviewEvent["event"][] = ["hello", "decided", "closing", "stale"];

interface Listeners {
  readonly onEvent: (event: ReviewEvent) => void;
  /** Told when the connection is lost and when it is back. The browser tries again by itself. */
  readonly onConnection: (connected: boolean) => void;
}

/** Follows /api/events while the caller is rendered. A server without the route is not reported as lost. */
export function useReviewEvents({ onEvent, onConnection }: Listeners): void {
  const handleEvent = useEffectEvent(onEvent);
  const handleConnection = useEffectEvent(onConnection);
  useEffect(() => {
    const source = new EventSource("/api/events");
    let wasOpen = false;
    source.onopen = () => {
      wasOpen = true;
      handleConnection(true);
    };
    source.onerror = () => {
      if (wasOpen) handleConnection(false);
    };
    for (const name of NAMES) {
      source.addEventListener(name, (message: MessageEvent<string>) => {
        handleEvent({ event: name, ...parse(message.data) } as ReviewEvent);
      });
    }
    return () => source.close();
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
