import type { ReviewEvent } from "../../../src/review/api-types.ts";
import {
  hasRequestedThreads,
  loadLive,
  loadReviews,
  loadThreads,
  receiveAgent,
  receiveRound,
  receiveThread,
  type ShowRound,
  useThreads,
} from "./thread-store.ts";
import { batchState } from "./threads.ts";

let isFollowing = false;

/** Handles the events of threads, of live reviews and of other reviews. */
export function receiveEvent(event: ReviewEvent, showRound: ShowRound): void {
  switch (event.event) {
    case "hello":
      // Loads what events would have changed, because events are missing: those since the connection was lost, or since
      // the first request.
      if (isFollowing || hasRequestedThreads()) void Promise.all([loadThreads(), loadReviews()]);
      void loadLive(showRound);
      isFollowing = true;
      break;
    case "thread": {
      const { event: _, ...thread } = event;
      receiveThread(thread);
      break;
    }
    case "round":
      receiveRound(event.round, showRound);
      break;
    case "agent": {
      const { event: _, ...agent } = event;
      receiveAgent(agent);
      // The agent may have fetched a batch.
      if (batchState(useThreads.getState().threads).waiting > 0) void loadThreads();
      break;
    }
    case "reviews":
      useThreads.setState({ reviews: event.reviews });
      break;
    default:
  }
}
