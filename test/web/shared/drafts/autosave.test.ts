import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../../../src/review/api-types.ts";
import { createDraftStore, type DraftStore } from "../../../../src/review/storage/drafts.ts";
import type { Result } from "../../../../web/shared/api/client.ts";
import { createAutosave, type DraftStatus } from "../../../../web/shared/drafts/autosave.ts";

type Saved = Result<{ readonly generation: number; readonly savedAt: string }>;

describe("autosave against the real draft store", () => {
  let folder = "";
  let store: DraftStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "autosave-"));
    store = createDraftStore(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A tab: typed text, its saves, and the messages to the person. */
  function openTab(lose: () => boolean = () => false) {
    const tab = { word: "", status: { state: "idle" } as DraftStatus };
    const autosave = createAutosave<string>({
      content: () => tab.word,
      delay: 1,
      retryDelay: 1,
      onStatus: (status) => {
        tab.status = status;
      },
      put: async (draft): Promise<Saved> => {
        const { accepted, draft: stored } = await store.write("k", draft.generation, draft.content);
        if (lose()) return { ok: false, reason: "gone" };
        if (accepted) return { ok: true, value: stored };
        return { ok: false, reason: "refused", status: 409, message: "newer", body: stored };
      },
    });
    const type = (word: string) => {
      tab.word = word;
      autosave.touch();
    };
    const settled = (state: DraftStatus["state"]) => expect.poll(() => tab.status.state).toBe(state);
    return { tab, autosave, type, settled };
  }

  it("saves the first word, and every later one", async () => {
    const { type, settled } = openTab();
    for (const word of ["one", "two", "three"]) {
      type(word);
      await settled("saved");
      expect((await store.read("k")).content).toBe(word);
    }
  });

  it("continues a draft of an earlier page", async () => {
    await store.write("k", 7, "earlier");
    const { autosave, type, settled } = openTab();
    autosave.resume(7);
    type("later");
    await settled("saved");
    expect((await store.read("k")).content).toBe("later");
  });

  it("reports that another tab has saved since, and overwrites nothing", async () => {
    const [first, second] = [openTab(), openTab()];
    first.type("first");
    await first.settled("saved");
    second.type("second");
    await second.settled("superseded");
    expect((await store.read("k")).content).toBe("first");
  });

  it("merges the newer draft of another tab without a save, and once only", async () => {
    const first = openTab();
    first.type("first");
    await first.settled("saved");
    let reads = 0;
    const read = async () => {
      reads++;
      return { ok: true as const, value: (await store.read("k")) as Draft<string> };
    };
    const merged: string[] = [];
    const follower = createAutosave<string>({
      content: () => merged.join(),
      put: () => Promise.reject(new Error("nothing to save")),
      onStatus: () => {},
      onConflict: (stored, generation) => merged.push(`${stored} ${generation}`) > 0,
    });
    await follower.follow(read, 1);
    await follower.follow(read, 1);
    expect([merged, reads]).toEqual([["first 1"], 1]);
    await follower.follow(read);
    expect([merged, reads]).toEqual([["first 1"], 2]);
    first.type("second");
    await first.settled("saved");
    await follower.follow(read, 2);
    expect(merged).toEqual(["first 1", "second 2"]);
  });

  it("recognizes its own save if the response was lost", async () => {
    let losing = true;
    const { type, settled } = openTab(() => losing);
    type("one");
    await settled("failing");
    losing = false;
    type("two");
    await settled("saved");
    expect((await store.read("k")).content).toBe("two");
  });

  it("saves changes made during a save, also when the page closes", async () => {
    const { autosave, type, settled } = openTab();
    type("one");
    autosave.flush();
    type("two");
    autosave.flush();
    await settled("saved");
    await expect.poll(async () => (await store.read("k")).content).toBe("two");
  });
});
