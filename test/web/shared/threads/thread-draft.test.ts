import { afterEach, describe, expect, it } from "vitest";
import {
  mergeThreadDraft,
  restoreThreadDraft,
  type ThreadDraft,
  threadDraft,
} from "../../../../web/shared/threads/thread-draft.ts";
import { useThreads } from "../../../../web/shared/threads/thread-store.ts";

const draft = (text: string, batchText = ""): ThreadDraft => ({
  messages: [["t_1", { text, isOpen: true }]],
  batchText,
});
const write = ({ messages, batchText }: ThreadDraft) =>
  useThreads.setState({ drafts: new Map(messages), batchText });
const reply = () => useThreads.getState().drafts.get("t_1")?.text;

afterEach(() => useThreads.setState(useThreads.getInitialState(), true));

describe("the general text of a pull request's review", () => {
  it("is part of the draft until it is posted", () => {
    useThreads.setState({ reviewText: "Well built." });
    const stored = structuredClone(threadDraft());
    useThreads.setState(useThreads.getInitialState(), true);
    restoreThreadDraft(stored);
    expect(useThreads.getState().reviewText).toBe("Well built.");
    mergeThreadDraft(stored, undefined);
    expect(threadDraft()).toBeUndefined();
  });
});

describe("a reply that two tabs write in the same thread", () => {
  it("has the texts of both, and so has the text of the batch", () => {
    write(draft("Mine", "My batch"));
    mergeThreadDraft(undefined, draft("Theirs", "Their batch"));
    expect([reply(), useThreads.getState().batchText]).toEqual(["Theirs\n\nMine", "Their batch\n\nMy batch"]);
  });

  it("is the other tab's as long as this one has not changed it", () => {
    write(draft("Wri"));
    mergeThreadDraft(draft("Wri"), draft("Written"));
    expect(reply()).toBe("Written");
  });

  it("is gone once one tab has sent it", () => {
    write(draft("Written"));
    mergeThreadDraft(draft("Written"), { messages: [], batchText: "" });
    expect(reply()).toBeUndefined();
  });
});
