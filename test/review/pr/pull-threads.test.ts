import { expect, it, onTestFinished } from "vitest";
import type { PullRequest } from "../../../src/review/forges/forge.ts";
import { toThread } from "../../../src/review/forges/gitlab/read-merge-request.ts";
import { openThreadStore } from "../../../src/review/live/thread-store.ts";
import { openPullStore } from "../../../src/review/pr/pull-store.ts";
import { mergeThreads } from "../../../src/review/pr/pull-threads.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("a comment on the old side of an unchanged line is recognized at GitLab, which reports both sides", async () => {
  const folder = await temporaryFolder();
  const store = await openThreadStore({
    dataDirectory: folder,
    id: "review1",
    subject: "pull",
    takesOver: false,
    onThread: () => {},
  });
  onTestFinished(() => store.close());
  const anchor = { kind: "lines", path: "a.txt", side: "old", lineStart: 4, lineEnd: 4, code: "" } as const;
  const body = { type: "comment", markdown: "Why?" } as const;
  const thread = await store.create(body, { anchor }, { kind: "person", name: "" });
  const pullStore = await openPullStore(folder, "https://gitlab.test/keep/castle/-/merge_requests/7");
  const position = { path: "a.txt", side: "old", lineStart: 4, lineEnd: 4 } as const;
  const item = { kind: "comment", thread: thread.id, body: "Why?", ...position } as const;
  await pullStore.write({ unlinked: [{ item, messages: thread.messages.map(({ id }) => id) }] });
  const note = {
    id: 1,
    body: "Why?",
    author: { username: "ada" },
    created_at: "2026-10-01T12:00:00Z",
    system: false,
    resolvable: true,
    resolved: false,
    position: { position_type: "text", head_sha: "a", old_path: "a.txt", new_path: "a.txt" },
  };
  const lines = { old_line: 4, new_line: 6 };
  const discussion = { id: "d1", notes: [{ ...note, position: { ...note.position, ...lines } }] };
  const remote = toThread(discussion, { head: { ref: "", sha: "a" } } as PullRequest);
  const anchors = { locate: async () => Promise.reject(new Error("not located")) };
  await mergeThreads([remote], store, pullStore, anchors, new Map());
  expect([...store.log.threads.keys()]).toEqual([thread.id]);
});
