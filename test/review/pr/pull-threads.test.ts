import { expect, it } from "vitest";
import type { PullRequest } from "../../../src/review/forges/forge.ts";
import { toThread } from "../../../src/review/forges/gitlab/read-merge-request.ts";
import { mergeThreads } from "../../../src/review/pr/pull-threads.ts";
import { openPostedThread } from "../../support/posted-thread.ts";

it("a comment on the old side of an unchanged line is recognized at GitLab, which reports both sides", async () => {
  const url = "https://gitlab.test/keep/castle/-/merge_requests/7";
  const position = { path: "a.txt", side: "old", lineStart: 4, lineEnd: 4 } as const;
  const { store, thread, pullStore } = await openPostedThread(url, position);
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
