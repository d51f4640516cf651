import { appendFile, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { getProcessMark } from "../../../src/files/running-process.ts";
import { createLogFile, readLog, replay } from "../../../src/review/live/log-file.ts";
import { findLog, logPath } from "../../../src/review/live/log-folder.ts";
import { openThreadStore, type ThreadStore } from "../../../src/review/live/thread-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const PERSON = { kind: "person", name: "" } as const;
const open = async (dataDirectory: string, id: string) => {
  const store = await openThreadStore({
    dataDirectory,
    id,
    subject: "subject",
    takesOver: true,
    onThread: () => {},
  });
  onTestFinished(() => store.close());
  return store;
};
const addComment = (store: ThreadStore, markdown: string) =>
  store.create({ type: "comment", markdown }, { anchor: { kind: "review" } }, PERSON);
const AGENT = { kind: "agent", name: "codex" } as const;
const messagesIn = ({ log }: ThreadStore) =>
  [...log.threads.values()].map(({ messages }) => messages[0]?.markdown);

/** Makes the log look like that of a process that was killed. */
async function kill(path: string): Promise<void> {
  const dead = { ...getProcessMark(), pid: 4_194_301, started: "1" };
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(JSON.stringify(getProcessMark()), JSON.stringify(dead)));
}

describe("the logs of live reviews", () => {
  it("are taken over from a review that was killed, once", async () => {
    const data = await temporaryFolder();
    const first = await open(data, "one");
    await addComment(first, "kept");
    await first.close();
    await kill(logPath(data, "subject", "one"));
    const [second, third] = await Promise.all([open(data, "two"), open(data, "three")]);
    expect([...messagesIn(second), ...messagesIn(third)]).toEqual(["kept"]);
    expect(await findLog(data, "one")).toBeUndefined();
  });

  it("stay with a review that runs, and with one that was finished", async () => {
    const data = await temporaryFolder();
    const running = await open(data, "one");
    await addComment(running, "running");
    expect(messagesIn(await open(data, "two"))).toEqual([]);
    await running.write([{ op: "closed", reason: "final" }]);
    await kill(logPath(data, "subject", "one"));
    expect(messagesIn(await open(data, "three"))).toEqual([]);
  });

  it("record which threads an agent has reopened", async () => {
    const data = await temporaryFolder();
    const store = await open(data, "one");
    const { id } = await addComment(store, "mine");
    const reopen = async (by: typeof PERSON | typeof AGENT) => {
      await store.change(id, { state: "resolved" }, PERSON);
      expect(store.log.reopenedByPrograms).toEqual(new Set());
      await store.change(id, { state: "open" }, by);
      const { reopenedByPrograms } = replay(await readLog(logPath(data, "subject", "one")));
      expect(reopenedByPrograms).toEqual(store.log.reopenedByPrograms);
      return [...reopenedByPrograms];
    };
    expect(await reopen(AGENT)).toEqual([id]);
    expect(await reopen(PERSON)).toEqual([]);
  });

  it("are read up to a line that a kill cut off, and continued after it", async () => {
    const data = await temporaryFolder();
    const store = await open(data, "one");
    await addComment(store, "whole");
    await store.close();
    const path = logPath(data, "subject", "one");
    await appendFile(path, '{"op":"message","thread":"t_');
    const file = createLogFile(path);
    await file.append([{ op: "round", round: 7 }]);
    await file.close();
    const log = replay(await readLog(path));
    expect([...log.threads.values()].map(({ messages }) => messages.length)).toEqual([1]);
    expect(log.round).toBe(7);
  });

  it("lose nothing that many writers were told is stored", async () => {
    const data = await temporaryFolder();
    const store = await open(data, "one");
    const texts = Array.from({ length: 100 }, (_, index) => `note ${index}`);
    await Promise.all(texts.map((text) => addComment(store, text)));
    const onDisk = replay(await readLog(logPath(data, "subject", "one")));
    expect([...onDisk.threads.values()].map(({ messages }) => messages[0]?.markdown).sort()).toEqual(
      texts.sort(),
    );
  });
});
