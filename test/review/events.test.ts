import { describe, expect, it, vi } from "vitest";
import { createEventHub } from "../../src/review/events.ts";

const textOf = async (stream: AsyncIterable<Buffer>) => {
  let text = "";
  for await (const chunk of stream) text += chunk.toString();
  return text;
};

describe("the event hub", () => {
  it("sends hello and each event to every page, and closes", async () => {
    const hub = createEventHub("session-1");
    const streams = [hub.open(), hub.open()];
    hub.send({ event: "decided", decision: "deny" });
    hub.close();
    for (const stream of streams) {
      expect(await textOf(stream)).toBe(
        'event: hello\ndata: {"sessionId":"session-1"}\n\nevent: decided\ndata: {"decision":"deny"}\n\n',
      );
    }
  });

  it("reports no page that disconnects because the review is over", () => {
    vi.useFakeTimers();
    try {
      const onDeserted = vi.fn();
      const hub = createEventHub("session-1", onDeserted);
      const page = hub.open();
      hub.close();
      page.emit("close");
      vi.advanceTimersByTime(60_000);
      expect(onDeserted).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  it("resolves every call that waits for a page", async () => {
    vi.useFakeTimers();
    try {
      const hub = createEventHub("session-1");
      const calls = [hub.connectedWithin(1_000), hub.connectedWithin(60_000), hub.connectedWithin(60_000)];
      vi.advanceTimersByTime(2_000);
      hub.open();
      vi.advanceTimersByTime(60_000);
      expect(await Promise.all(calls)).toEqual([false, true, true]);
      hub.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it("reports when the last page has disconnected, but not a reload", () => {
    vi.useFakeTimers();
    try {
      const onDeserted = vi.fn();
      const hub = createEventHub("session-1", onDeserted);
      const [first, second] = [hub.open(), hub.open()];
      first.emit("close");
      vi.advanceTimersByTime(60_000);
      expect(onDeserted).not.toHaveBeenCalled();
      second.emit("close");
      vi.advanceTimersByTime(500);
      const third = hub.open();
      vi.advanceTimersByTime(60_000);
      expect(onDeserted).not.toHaveBeenCalled();
      third.emit("close");
      vi.advanceTimersByTime(5_000);
      expect(onDeserted).toHaveBeenCalledOnce();
      hub.open().emit("close");
      hub.close();
      vi.advanceTimersByTime(60_000);
      expect(onDeserted).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });
});
