import { describe, expect, it } from "vitest";
import type { Thread, ThreadMessage } from "../../../src/review/api-types.ts";
import {
  applyEntry,
  batchContent,
  composeBatch,
  emptyState,
  type LogEntry,
  pendingBatches,
} from "../../../src/review/live/session-log.ts";

const message = (id: string, kind: "person" | "agent" = "person"): ThreadMessage => ({
  id,
  author: { kind, name: "" },
  at: "2026-01-01T00:00:00.000Z",
  markdown: id,
  sentAt: null,
  deliveredAt: null,
});

const thread = (id: string, first: ThreadMessage, type: Thread["type"] = "comment"): Thread => ({
  id,
  anchor: { kind: "review" },
  type,
  state: "open",
  severity: null,
  messages: [first],
  round: 1,
  outdated: false,
  resolvedBy: null,
  ...(type === "finding" ? { accepted: false } : {}),
});

const draft = (id: string) => ({
  id,
  event: "feedback" as const,
  feedback: "",
  now: Date.parse("2026-01-01T00:00:01Z"),
  withThreads: true,
});

describe("the log of a live review", () => {
  it("puts only threads with new messages of the person into a batch", () => {
    const log = emptyState();
    applyEntry(log, { op: "thread", thread: thread("mine", message("a")) });
    applyEntry(log, { op: "thread", thread: thread("found", message("b", "agent"), "finding") });
    const first = composeBatch(log, draft("1"));
    expect(first.threads.map(({ id }) => id)).toEqual(["mine"]);
    applyEntry(log, { op: "batch", batch: first });
    expect(composeBatch(log, draft("2")).threads).toEqual([]);
    applyEntry(log, { op: "message", thread: "found", message: message("c") });
    expect(composeBatch(log, draft("2")).threads.map(({ id }) => id)).toEqual(["found"]);
  });

  it("changes a thread by a message with another text, and not by the same message again", () => {
    const log = emptyState();
    const entry = { op: "message", thread: "mine", message: message("b") } as const;
    applyEntry(log, { op: "thread", thread: thread("mine", message("a")) });
    expect(applyEntry(log, entry)).toEqual(["mine"]);
    expect(applyEntry(log, entry)).toEqual([]);
    expect(applyEntry(log, { ...entry, message: { ...entry.message, markdown: "c" } })).toEqual(["mine"]);
  });

  it("puts an accepted finding into the next batch, once", () => {
    const log = emptyState();
    applyEntry(log, { op: "thread", thread: thread("found", message("b", "agent"), "finding") });
    applyEntry(log, { op: "change", thread: "found", accepted: true });
    const first = composeBatch(log, draft("1"));
    expect(first.threads.map(({ id }) => id)).toEqual(["found"]);
    applyEntry(log, { op: "batch", batch: first });
    expect(log.threads.get("found")?.messages[0]?.sentAt).toBe(first.at);
    expect(composeBatch(log, draft("2")).threads).toEqual([]);
  });

  it("keeps a batch as it was sent, whatever comes later", () => {
    const log = emptyState();
    applyEntry(log, { op: "thread", thread: thread("mine", message("a")) });
    const sent = composeBatch(log, draft("1"));
    applyEntry(log, { op: "batch", batch: sent });
    const before = batchContent(log, sent);
    applyEntry(log, { op: "message", thread: "mine", message: message("later", "agent") });
    applyEntry(log, {
      op: "change",
      thread: "mine",
      state: "resolved",
      resolvedBy: { kind: "agent", name: "x" },
    });
    applyEntry(log, { op: "delivered", batch: "1", at: "2026-01-01T00:00:09.000Z" });
    expect(batchContent(log, sent)).toEqual(before);
    expect(log.threads.get("mine")?.messages[0]?.deliveredAt).toBe("2026-01-01T00:00:09.000Z");
  });

  it("gives each batch a later time than the one before, also within a millisecond", () => {
    const log = emptyState();
    const first = composeBatch(log, draft("1"));
    applyEntry(log, { op: "batch", batch: first });
    expect(composeBatch(log, draft("2")).at > first.at).toBe(true);
  });

  it("reaches the same state when every entry is applied twice", () => {
    const entries: LogEntry[] = [
      { op: "thread", thread: thread("mine", message("a")) },
      { op: "message", thread: "mine", message: message("b", "agent") },
      { op: "round", round: 3 },
      {
        op: "batch",
        batch: {
          id: "1",
          event: "feedback",
          round: 3,
          feedback: "",
          at: "2026-01-01T00:00:02.000Z",
          threads: [],
        },
      },
    ];
    const [once, twice] = [emptyState(), emptyState()];
    for (const entry of entries) applyEntry(once, entry);
    for (const entry of [...entries, ...entries]) applyEntry(twice, entry);
    expect(twice).toEqual(once);
    expect(pendingBatches(twice).map(({ id }) => id)).toEqual(["1"]);
  });
});
