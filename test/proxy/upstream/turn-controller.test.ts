import type { Dispatcher } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TurnController } from "../../../src/proxy/upstream/turn-controller.ts";

const OPTIONS = { method: "POST", path: "/responses", bodyTimeout: 1_000 } as const;

afterEach(() => void vi.useRealTimers());

/** A complete response whose reader has paused after the first event. */
function startComplete() {
  const seen: string[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {},
    onResponseStart: () => {},
    onResponseData(controller, chunk) {
      seen.push(chunk.toString());
      controller.pause();
    },
    onResponseEnd: () => void seen.push("end"),
    onResponseError: (_controller, error) => void seen.push(error.name),
  };
  const actions = { send: vi.fn(), resend: vi.fn(), abandon: vi.fn() };
  const turn = new TurnController(OPTIONS, handler, actions);
  turn.start();
  turn.push(Buffer.from("first"));
  turn.push(Buffer.from("last"));
  turn.end();
  return { turn, seen, actions };
}

describe("a complete response over a WebSocket that a slow client still reads", () => {
  it("has no time limit", () => {
    vi.useFakeTimers();
    const { turn, seen, actions } = startComplete();
    vi.advanceTimersByTime(5_000);
    turn.resume();
    turn.resume();
    expect(seen).toEqual(["first", "last", "end"]);
    expect(actions.abandon).not.toHaveBeenCalled();
  });

  it("does not close the connection, which may serve another call, when its client disconnects", () => {
    const { turn, seen, actions } = startComplete();
    turn.abort(new Error("the client disconnected"));
    expect(seen).toEqual(["first", "Error"]);
    expect(actions.abandon).not.toHaveBeenCalled();
  });
});
