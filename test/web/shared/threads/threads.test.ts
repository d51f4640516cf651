import { describe, expect, it } from "vitest";
import type { Thread, ThreadMessage } from "../../../../src/review/api-types.ts";
import {
  authorName,
  authorsIn,
  batchState,
  byPath,
  filesChangedSince,
  filterThreads,
  inReviewOrder,
  isInNextBatch,
  NO_FILTER,
  severitiesIn,
  threadStatus,
  threadSummary,
  withThread,
} from "../../../../web/shared/threads/threads.ts";

let count = 0;
function message(changes: Partial<ThreadMessage> = {}): ThreadMessage {
  count++;
  return {
    id: `m_${count}`,
    author: { kind: "person", name: "" },
    at: "2026-01-01T00:00:00Z",
    markdown: "Why?",
    sentAt: null,
    deliveredAt: null,
    ...changes,
  };
}

function thread(changes: Partial<Thread> = {}): Thread {
  count++;
  return {
    id: `t_${count}`,
    anchor: { kind: "lines", path: "a.ts", side: "new", lineStart: 3, lineEnd: 4, code: "x" },
    type: "comment",
    state: "open",
    severity: null,
    messages: [message()],
    round: 1,
    outdated: false,
    resolvedBy: null,
    ...changes,
  };
}

const agent = { kind: "agent", name: "claude-code" } as const;
const tool = { kind: "tool", name: "eslint" } as const;

describe("the name of an author", () => {
  it("is never empty", () => {
    const names = [
      { kind: "person", name: "" },
      { kind: "person", name: "Reviewer" },
      { kind: "person", name: "Ana" },
      { kind: "agent", name: "" },
      { kind: "tool", name: "" },
      { kind: "tool", name: "eslint" },
    ] as const;
    expect(names.map(authorName)).toEqual(["You", "You", "Ana", "The agent", "A tool", "eslint"]);
  });
});

describe("threads", () => {
  it("shows an open thread without its lines as outdated, a resolved one as resolved", () => {
    expect(threadStatus(thread({ outdated: true }))).toBe("outdated");
    expect(threadStatus(thread({ outdated: true, state: "resolved" }))).toBe("resolved");
  });

  it("replaces a thread in its position and appends a new one", () => {
    const [a, b, c] = [thread(), thread(), thread()];
    const changed = { ...a, state: "resolved" } as const;
    expect(withThread([a, b], changed)).toEqual([changed, b]);
    expect(withThread([a, b], c)).toEqual([a, b, c]);
  });

  it("keeps a thread with later messages if an earlier response arrives after its event", () => {
    const before = thread();
    const resolved = { ...before, state: "resolved" } as const;
    const replied = { ...resolved, messages: [...before.messages, message({ author: agent })] };
    expect(withThread(withThread([before], replied), resolved)).toEqual([replied]);
  });

  it("filters by state, author and severity together", () => {
    const mine = thread();
    const finding = thread({ type: "finding", severity: "error", messages: [message({ author: tool })] });
    const old = thread({ outdated: true, messages: [message(), message({ author: agent })] });
    const done = thread({ state: "resolved" });
    const all = [mine, finding, old, done];
    expect(filterThreads(all, NO_FILTER)).toEqual(all);
    expect(filterThreads(all, { ...NO_FILTER, state: "open" })).toEqual([mine, finding, old]);
    expect(filterThreads(all, { ...NO_FILTER, state: "outdated" })).toEqual([old]);
    expect(filterThreads(all, { ...NO_FILTER, author: "person" })).toEqual([mine, old, done]);
    expect(filterThreads(all, { ...NO_FILTER, author: "tool eslint" })).toEqual([finding]);
    expect(filterThreads(all, { ...NO_FILTER, author: "agent claude-code", state: "resolved" })).toEqual([]);
    expect(filterThreads(all, { ...NO_FILTER, severity: "error" })).toEqual([finding]);
    expect(severitiesIn(all)).toEqual(["error"]);
    expect(authorsIn(all).map(({ kind }) => kind)).toEqual(["person", "agent", "tool"]);
  });

  it("keeps a tool and an agent of the same name apart", () => {
    const byTool = thread({ messages: [message({ author: { kind: "tool", name: "bot" } })] });
    const byAgent = thread({ messages: [message({ author: { kind: "agent", name: "bot" } })] });
    expect(filterThreads([byTool, byAgent], { ...NO_FILTER, author: "tool bot" })).toEqual([byTool]);
  });

  it("orders threads on the review first, then files before their lines", () => {
    const review = thread({ anchor: { kind: "review" } });
    const file = thread({ anchor: { kind: "file", path: "b.ts" } });
    const line = thread({
      anchor: { kind: "lines", path: "b.ts", side: "new", lineStart: 1, lineEnd: 1, code: "" },
    });
    const first = thread();
    const orderOf = (path: string) => ["a.ts", "b.ts"].indexOf(path);
    expect(inReviewOrder([line, file, first, review], orderOf)).toEqual([review, first, file, line]);
    expect([...byPath([line, review, file]).keys()]).toEqual(["b.ts"]);
  });

  it("summarizes a thread by its first line with text", () => {
    const summary = (markdown: string) => threadSummary(thread({ messages: [message({ markdown })] }));
    expect(summary("\n> ## Wrong **type**\nmore")).toBe("Wrong type");
    expect(summary("- see [the docs](https://example.com) of `a_b`, not ~~c~~")).toBe(
      "see the docs of a_b, not c",
    );
    expect(summary("**kwargs is `never` read, 2 ** 3 ** 4")).toBe("**kwargs is never read, 2 ** 3 ** 4");
    expect(summary("")).toBe("");
  });
});

describe("the batch of a live review", () => {
  const sent = { sentAt: "2026-01-01T00:01:00Z" };
  const delivered = { ...sent, deliveredAt: "2026-01-01T00:02:00Z" };

  it("contains unsent messages of the person and accepted findings, nothing an agent wrote", () => {
    expect(isInNextBatch(thread())).toBe(true);
    expect(isInNextBatch(thread({ messages: [message(sent)] }))).toBe(false);
    expect(isInNextBatch(thread({ messages: [message(delivered), message()] }))).toBe(true);
    expect(isInNextBatch(thread({ messages: [message(delivered), message({ author: agent })] }))).toBe(false);
    const finding = { type: "finding", messages: [message({ author: tool })] } as const;
    expect(isInNextBatch(thread({ ...finding, accepted: false }))).toBe(false);
    expect(isInNextBatch(thread({ ...finding, accepted: true }))).toBe(true);
    expect(isInNextBatch(thread({ ...finding, accepted: true, state: "dismissed" }))).toBe(false);
  });

  it("follows from what was sent and delivered, so that a reloaded page knows it", () => {
    expect(batchState([thread()])).toEqual({ unsent: 1, waiting: 0, lastSentAt: undefined, replied: 0 });
    expect(batchState([thread({ messages: [message(sent)] })])).toMatchObject({ unsent: 0, waiting: 1 });
    const later = "2026-01-01T00:03:00Z";
    const threads = [
      thread({ messages: [message(delivered), message({ author: agent, at: later })] }),
      thread({ messages: [message({ author: agent, at: "2025-12-31T00:00:00Z" })] }),
    ];
    expect(batchState(threads)).toEqual({ unsent: 0, waiting: 0, lastSentAt: sent.sentAt, replied: 1 });
  });

  it("counts added, changed and removed files since it was sent", () => {
    const then = new Map([
      ["a", "1"],
      ["b", "1"],
      ["gone", "1"],
    ]);
    const files = [
      { path: "a", fingerprint: "1" },
      { path: "b", fingerprint: "2" },
      { path: "new", fingerprint: "1" },
    ];
    expect(filesChangedSince(then, files)).toBe("3 files changed since you sent");
    expect(filesChangedSince(new Map([["a", "1"]]), files.slice(0, 1))).toBe(
      "No file changed since you sent",
    );
  });
});
