import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commentOn,
  newestReviewOf,
  pathWithin,
  toThreadView,
  toWindowPath,
} from "../../../extensions/vscode/src/thread-view.ts";
import type { Thread } from "../../../src/review/live-api-types.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const message = (author: Thread["messages"][number]["author"], more: object = {}) => ({
  id: "m1",
  author,
  at: "2026-11-23T12:00:00.000Z",
  markdown: "Rename it.",
  sentAt: null,
  deliveredAt: null,
  ...more,
});
const thread = (more: Partial<Thread> = {}): Thread => ({
  id: "t1",
  anchor: { kind: "lines", path: "src/a.ts", side: "new", lineStart: 3, lineEnd: 5, code: "a\nb\nc" },
  type: "comment",
  state: "open",
  severity: null,
  messages: [message({ kind: "person", name: "" })],
  round: 1,
  outdated: false,
  resolvedBy: null,
  ...more,
});

describe("threads in an editor", () => {
  it("are at their lines, counted from 0", () => {
    expect(toThreadView(thread())).toEqual({
      id: "t1",
      path: "src/a.ts",
      firstLine: 2,
      lastLine: 4,
      label: "comment · open",
      isResolved: false,
      messages: [{ author: "You", markdown: "Rename it.", label: "not sent" }],
    });
  });

  it("name the severity, who resolved them, and outdated lines", () => {
    const resolved = thread({
      type: "finding",
      severity: "warning",
      state: "resolved",
      resolvedBy: { kind: "agent", name: "codex" },
      outdated: true,
    });
    expect(toThreadView(resolved)).toMatchObject({
      label: "finding, warning · resolved by codex · outdated",
      isResolved: true,
    });
  });

  it("show whether the agent has received a message of the person", () => {
    const sent = message({ kind: "person", name: "Ada" }, { sentAt: "2026-11-23T12:01:00.000Z" });
    const delivered = { ...sent, deliveredAt: "2026-11-23T12:02:00.000Z" };
    const reply = message({ kind: "agent", name: "codex" });
    const { messages } = toThreadView(thread({ messages: [delivered, sent, reply] })) ?? { messages: [] };
    expect(messages.map(({ author, label }) => [author, label])).toEqual([
      ["Ada", "delivered"],
      ["Ada", "sent"],
      ["codex", ""],
    ]);
  });

  it("show suggested code in a fence that the code cannot close", () => {
    const suggestion = message({ kind: "person", name: "" }, { suggestedCode: "```\nx\n```" });
    expect(toThreadView(thread({ messages: [suggestion] }))?.messages[0]?.markdown).toBe(
      "Rename it.\n\n````\n```\nx\n```\n````",
    );
  });

  it("are not shown without a line of the file as it is now", () => {
    const lines = { kind: "lines", path: "a.ts", lineStart: 1, lineEnd: 1, code: "" } as const;
    expect(toThreadView(thread({ anchor: { ...lines, side: "old" } }))).toBeUndefined();
    expect(toThreadView(thread({ anchor: { kind: "review" } }))).toBeUndefined();
    expect(toThreadView(thread({ anchor: { kind: "file", path: "a.ts" } }))).toMatchObject({
      firstLine: 0,
      lastLine: 0,
    });
  });
});

describe("a comment on a selection", () => {
  it("names the path in the repository and the lines from 1", () => {
    const selected = { file: "/work/app/src/a.ts", firstLine: 2, lastLine: 4 };
    expect(commentOn("/work/app", selected, "Why?")).toEqual({
      anchor: { kind: "lines", path: "src/a.ts", side: "new", lineStart: 3, lineEnd: 5 },
      type: "comment",
      markdown: "Why?",
    });
  });

  it("is not possible outside of the repository", () => {
    expect(pathWithin("/work/app", "/work/app2/a.ts")).toBeUndefined();
    expect(pathWithin("/work/app", "/work/app")).toBeUndefined();
    expect(pathWithin("/work/app", "/work/app/..a/b.ts")).toBe("..a/b.ts");
  });
});

describe("the review of a file", () => {
  it("is the newest one of its repository, in any order of the list", () => {
    const review = (repository: string, hour: number) => ({
      repository,
      since: `2026-11-23T${hour}:00:00.000Z`,
    });
    const [older, newer, other] = [review("/work/a", 10), review("/work/a", 11), review("/work/b", 12)];
    expect(newestReviewOf([older, newer, other], "/work/a/src/x.ts")).toBe(newer);
    expect(newestReviewOf([other, newer, older], "/work/a/src/x.ts")).toBe(newer);
    expect(newestReviewOf([older, newer], "/work/b/x.ts")).toBeUndefined();
  });
});

describe("a folder that the editor has opened through a symbolic link", () => {
  async function openThroughLink() {
    const folder = await realpath(await temporaryFolder());
    const [repository, link] = [join(folder, "repository"), join(folder, "link")];
    await mkdir(join(repository, "src"), { recursive: true });
    await writeFile(join(repository, "src/a.ts"), "");
    await symlink(repository, link);
    return { repository, link };
  }

  it("belongs to the review of the repository, with the paths of the repository", async () => {
    const { repository, link } = await openThroughLink();
    const review = { repository, since: "2026-11-23T10:00:00.000Z" };
    const file = join(link, "src/a.ts");
    expect(newestReviewOf([review], file)).toBe(review);
    expect(commentOn(repository, { file, firstLine: 0, lastLine: 0 }, "Why?")?.anchor).toMatchObject({
      path: "src/a.ts",
    });
  });

  it("shows the review's threads at its own paths", async () => {
    const { repository, link } = await openThroughLink();
    const file = join(repository, "src/a.ts");
    expect(toWindowPath(file, [link])).toBe(join(link, "src/a.ts"));
    expect(toWindowPath(file, [join(link, "src")])).toBe(join(link, "src/a.ts"));
    expect(toWindowPath(file, [repository])).toBe(file);
    expect(toWindowPath(file, ["/elsewhere", link])).toBe(join(link, "src/a.ts"));
    expect(toWindowPath(file, [])).toBe(file);
  });
});
