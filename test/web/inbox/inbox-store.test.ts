import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { followInbox, loadInbox, useInbox } from "../../../web/inbox/inbox-store.ts";

let source: EventTarget & { onopen?: () => void };

beforeEach(() => {
  vi.stubGlobal("document", { title: "", visibilityState: "visible" });
  vi.stubGlobal(
    "EventSource",
    class extends EventTarget {
      onopen?: () => void;
      constructor() {
        super();
        source = this;
      }
    },
  );
});
afterEach(() => {
  useInbox.setState(useInbox.getInitialState(), true);
  vi.unstubAllGlobals();
});

it("the inbox shows a review that opened before the events were followed", async () => {
  let waiting: readonly object[] = [];
  vi.stubGlobal("fetch", async () => Response.json({ waiting, decided: [] }));
  await loadInbox();
  waiting = [{ id: "1", title: "New", since: "2026-01-01T00:00:00Z" }];
  followInbox();
  source.onopen?.();
  await vi.waitFor(() => expect(useInbox.getState().waiting).toHaveLength(1));
});
