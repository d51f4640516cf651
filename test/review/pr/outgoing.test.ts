import { describe, expect, it } from "vitest";
import type { Thread, ThreadMessage } from "../../../src/review/api-types.ts";
import { type OutgoingInput, planOutgoing, type RemoteThread } from "../../../src/review/pr/outgoing.ts";
import { hunksOf } from "../../support/forges/castle.ts";

const PERSON = { kind: "person", name: "" } as const;
const AGENT = { kind: "agent", name: "codex" } as const;
const WALL = "src/wall.txt";

const message = (markdown: string, members: Partial<ThreadMessage> = {}): ThreadMessage => ({
  id: `m_${markdown}`,
  author: PERSON,
  at: "2026-10-01T10:00:00.000Z",
  markdown,
  sentAt: null,
  deliveredAt: null,
  ...members,
});

const thread = (members: Partial<Thread> = {}): Thread => ({
  id: "t_1",
  anchor: { kind: "lines", path: WALL, side: "new", lineStart: 30, lineEnd: 30, code: "" },
  type: "comment",
  state: "open",
  severity: null,
  messages: [message("Words")],
  round: 1,
  outdated: false,
  resolvedBy: null,
  ...members,
});

const lines = (lineStart: number, lineEnd: number, side: "old" | "new" = "new") =>
  ({ kind: "lines", path: WALL, side, lineStart, lineEnd, code: "" }) as const;

function plan(threads: readonly Thread[], members: Partial<OutgoingInput> = {}) {
  return planOutgoing({
    forge: "github",
    threads,
    remote: new Map(),
    reopenedByPrograms: new Set(),
    verdict: "comment",
    body: "",
    without: new Set(),
    fileOf: (path) => (path === WALL ? { path, oldPath: path, patch: hunksOf(path) } : undefined),
    ...members,
  });
}

const remote = (members: Partial<RemoteThread> = {}) =>
  new Map([["t_1", { id: "r_1", resolved: false, takesMessages: true, ...members }]]);
const items = (...parts: Parameters<typeof plan>) => plan(...parts).items.map(({ item }) => item);

describe("planOutgoing", () => {
  it("posts the person's words of a new thread as one comment, without those of an agent", () => {
    const messages = [message("First"), message("Agent", { author: AGENT }), message("Second")];
    expect(items([thread({ messages })])).toMatchObject([
      { kind: "comment", body: "First\n\nSecond", lineEnd: 30 },
    ]);
  });

  it("posts neither what is at the forge, nor what the person left out, dismissed or settled here", () => {
    const posted = message("Old", { postedAt: "2026-10-01T10:00:00.000Z" });
    expect(items([thread({ messages: [posted] })])).toEqual([]);
    expect(items([thread()], { without: new Set(["t_1"]) })).toEqual([]);
    expect(items([thread({ state: "resolved", resolvedBy: PERSON })])).toEqual([]);
    expect(items([thread({ type: "finding", accepted: true, state: "dismissed" })])).toEqual([]);
  });

  it("posts a finding only after the person has accepted it", () => {
    const finding = { type: "finding", messages: [message("Leak", { author: AGENT })] } as const;
    expect(items([thread({ ...finding, accepted: false })])).toEqual([]);
    expect(items([thread({ ...finding, accepted: true })])).toMatchObject([
      { kind: "comment", body: "Leak" },
    ]);
  });

  it.each([
    [lines(50, 50), "Line 50 of src/wall.txt is outside of the diff"],
    [lines(28, 50), "Lines 28 to 50 of src/wall.txt are outside of the diff"],
    [lines(10, 30), "does not accept a comment across two hunks"],
    [{ kind: "file", path: "other.txt" } as const, "other.txt is not part of the pull request."],
  ])("keeps %j with the reason", (anchor, reason) => {
    const { items: planned, kept } = plan([thread({ anchor })]);
    expect(planned).toEqual([]);
    expect(kept).toEqual([{ thread: "t_1", reason: expect.stringContaining(reason) }]);
  });

  it("keeps an outdated thread", () => {
    expect(plan([thread({ outdated: true })]).kept[0]?.reason).toContain("no longer contains");
  });

  it.each([
    ["github", "```suggestion\na\n```"],
    ["gitlab", "```suggestion:-1+0\na\n```"],
  ] as const)("writes a suggestion as %s applies it", (forge, block) => {
    const messages = [message("Use this", { suggestedCode: "a" })];
    expect(items([thread({ anchor: lines(29, 30), messages })], { forge })).toMatchObject([
      { body: `Use this\n\n${block}` },
    ]);
  });

  it("keeps the empty line at the end of suggested code", () => {
    const messages = [message("x", { suggestedCode: "a\n" })];
    expect(items([thread({ messages })])).toMatchObject([{ body: "x\n\n```suggestion\na\n\n```" }]);
  });

  it("fences suggested code that contains fences, and offers none for removed lines", () => {
    const messages = [message("x", { suggestedCode: "```\n````" })];
    expect(items([thread({ messages })])).toMatchObject([{ body: "x\n\n`````suggestion\n```\n````\n`````" }]);
    const removed = thread({
      anchor: lines(30, 30, "old"),
      messages: [message("x", { suggestedCode: "a" })],
    });
    expect(items([removed])).toMatchObject([{ body: "x\n\n```\na\n```" }]);
  });

  it("replies in threads of the forge, and quotes those that accept no replies", () => {
    const messages = [
      message("Why?", { author: { kind: "person", name: "wren" }, postedAt: "x" }),
      message("Because"),
    ];
    expect(items([thread({ messages })], { remote: remote() })).toMatchObject([
      { kind: "reply", remote: "r_1", body: "Because" },
    ]);
    expect(items([thread({ messages })], { remote: remote({ takesMessages: false }) })).toMatchObject([
      { kind: "general", body: "> Why?\n\nBecause" },
    ]);
  });

  it("resolves and reopens what the person did, and not what an agent did", () => {
    const messages = [message("Why?", { postedAt: "x" })];
    const resolved = (by: Thread["resolvedBy"]) => thread({ messages, state: "resolved", resolvedBy: by });
    expect(items([resolved(PERSON)], { remote: remote() })).toEqual([
      { kind: "resolve", thread: "t_1", remote: "r_1" },
    ]);
    expect(items([resolved(AGENT)], { remote: remote() })).toEqual([]);
    expect(items([thread({ messages })], { remote: remote({ resolved: true }) })).toMatchObject([
      { kind: "reopen" },
    ]);
    const byPrograms = { remote: remote({ resolved: true }), reopenedByPrograms: new Set(["t_1"]) };
    expect(items([thread({ messages })], byPrograms)).toEqual([]);
    expect(items([resolved(PERSON)], { remote: remote({ resolved: undefined }) })).toEqual([]);
  });

  it("adds the verdict unless it is an empty comment", () => {
    expect(items([])).toEqual([]);
    expect(items([], { body: " Fine. " })).toEqual([{ kind: "verdict", verdict: "comment", body: "Fine." }]);
    expect(items([], { verdict: "approve" })).toEqual([{ kind: "verdict", verdict: "approve", body: "" }]);
  });
});
