import { onTestFinished } from "vitest";
import { openThreadStore } from "../../src/review/live/thread-store.ts";
import { openPullStore } from "../../src/review/pr/pull-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Position {
  readonly path: string;
  readonly side: "old" | "new";
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Opens the stores of a pull request's review with a comment "Why?" that is posted but not linked yet. */
export async function openPostedThread(url: string, position: Position) {
  const folder = await temporaryFolder();
  const store = await openThreadStore({
    dataDirectory: folder,
    id: "review1",
    subject: "pull",
    takesOver: false,
    onThread: () => {},
  });
  onTestFinished(() => store.close());
  const body = { type: "comment", markdown: "Why?" } as const;
  const anchor = { kind: "lines", ...position, code: "" } as const;
  const thread = await store.create(body, { anchor }, { kind: "person", name: "" });
  const pullStore = await openPullStore(folder, url);
  const item = { kind: "comment", thread: thread.id, body: "Why?", ...position } as const;
  await pullStore.write({ unlinked: [{ item, messages: thread.messages.map(({ id }) => id) }] });
  return { store, thread, pullStore };
}
