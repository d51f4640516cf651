import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Result } from "../../../../web/shared/api/client.ts";
import { createAutosave, type DraftStatus } from "../../../../web/shared/drafts/autosave.ts";

interface Saved {
  readonly generation: number;
  readonly content: string;
}
type Response = Result<{ readonly generation: number; readonly savedAt: string }>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(
  response: (saved: Saved) => Response = ({ generation }) => ok(generation),
  onConflict: (stored: string, generation: number) => boolean = () => false,
) {
  const sent: Saved[] = [];
  const states: DraftStatus["state"][] = [];
  let text = "";
  const autosave = createAutosave<string>({
    content: () => text,
    put: async (draft) => {
      sent.push(draft);
      await new Promise((done) => setTimeout(done, 50));
      return response(draft);
    },
    onStatus: ({ state }) => states.push(state),
    onConflict,
  });
  return {
    autosave,
    sent,
    states,
    type(value: string) {
      text = value;
      autosave.touch();
    },
  };
}

const ok = (generation: number): Response => ({
  ok: true,
  value: { generation, savedAt: "2026-01-01T00:00:00Z" },
});
const refused = (status: number): Response => ({
  ok: false,
  reason: "refused",
  status,
  message: "no",
  body: {},
});

describe("autosave timing", () => {
  it("saves once for many key presses, within half a second of the first", async () => {
    const { type, sent, states } = setUp();
    for (const text of ["a", "ab", "abc"]) {
      type(text);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(400);
    expect(sent).toEqual([{ generation: 1, content: "abc" }]);
    expect(states.at(-1)).toBe("saved");
  });

  it("saves while the person types without a pause, so that a crash loses less than a second", async () => {
    const { type, sent } = setUp();
    const typedAt = new Map<string, number>();
    for (let text = ""; text.length < 100; await vi.advanceTimersByTimeAsync(50)) {
      text += "x";
      typedAt.set(text, Date.now());
      type(text);
      const saved = sent.at(-1)?.content ?? "";
      const oldestUnsaved = typedAt.get(`${saved}x`) ?? Date.now();
      expect(Date.now() - oldestUnsaved).toBeLessThan(1_000);
    }
    expect(sent.length).toBeGreaterThan(5);
  });

  it("numbers its saves and never has two in progress", async () => {
    const { type, sent } = setUp();
    type("one");
    await vi.advanceTimersByTimeAsync(420);
    type("two");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toEqual([
      { generation: 1, content: "one" },
      { generation: 2, content: "two" },
    ]);
  });

  it("retries until the server responds, and reports it meanwhile", async () => {
    let up = false;
    const { type, sent, states } = setUp(({ generation }) =>
      up ? ok(generation) : { ok: false, reason: "gone" },
    );
    type("kept");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(states).toContain("failing");
    up = true;
    await vi.advanceTimersByTimeAsync(2_100);
    expect(states.at(-1)).toBe("saved");
    expect(sent.at(-1)?.content).toBe("kept");
  });

  it("keeps reporting it while the person types", async () => {
    const { type, states } = setUp(() => refused(500));
    type("one");
    await vi.advanceTimersByTimeAsync(1_000);
    for (const text of ["two", "three"]) {
      type(text);
      await vi.advanceTimersByTimeAsync(3_000);
    }
    expect(states.slice(states.indexOf("failing")).filter((state) => state !== "failing")).toEqual([]);
  });

  it("stops if another tab has saved something newer", async () => {
    const { type, sent, states } = setUp(() => refused(409));
    type("late");
    await vi.advanceTimersByTimeAsync(500);
    type("later");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(states.at(-1)).toBe("superseded");
    expect(sent).toHaveLength(1);
  });

  it("flushes when the page closes, also during a save", async () => {
    const { autosave, type, sent } = setUp();
    autosave.resume(7);
    type("first");
    await vi.advanceTimersByTimeAsync(420);
    type("second");
    autosave.flush();
    expect(sent).toEqual([
      { generation: 8, content: "first" },
      { generation: 9, content: "second" },
    ]);
    await vi.runAllTimersAsync();
  });

  it.each<[string, Response]>([
    ["is lost", { ok: false, reason: "gone" }],
    ["is rejected", refused(409)],
  ])("saves again after a save that %s while the draft of another tab is merged", async (_what, failure) => {
    const merged: string[] = [];
    const { autosave, type, sent, states } = setUp(
      ({ generation }) => (generation === 1 ? failure : ok(generation)),
      (stored) => merged.push(stored) > 0,
    );
    type("mine");
    await vi.advanceTimersByTimeAsync(420);
    const theirs = { generation: 3, savedAt: "2026-01-01T00:00:00Z", content: "theirs" };
    await autosave.follow(async () => ({ ok: true, value: theirs }), 3);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(merged).toEqual(["theirs"]);
    expect(sent.map(({ generation }) => generation)).toEqual([1, 4]);
    expect(states.at(-1)).toBe("saved");
  });
});
