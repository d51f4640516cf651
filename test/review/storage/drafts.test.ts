import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDraftStore } from "../../../src/review/storage/drafts.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("drafts", () => {
  it("persist after the process, by key", async () => {
    const folder = await temporaryFolder();
    await createDraftStore(folder).write("a", 1, { text: "typed" });
    expect(await createDraftStore(folder).read("a")).toMatchObject({
      generation: 1,
      content: { text: "typed" },
    });
    expect(await createDraftStore(folder).read("b")).toEqual({ generation: 0, savedAt: "", content: null });
  });

  it("are not overwritten by a page with an older generation", async () => {
    const drafts = createDraftStore(await temporaryFolder());
    await drafts.write("a", 1, "one");
    await drafts.write("a", 5, "five");
    for (const generation of [1, 4, 5]) {
      expect(await drafts.write("a", generation, "late")).toMatchObject({
        accepted: false,
        draft: { generation: 5, content: "five" },
      });
    }
    expect(await drafts.read("a")).toMatchObject({ content: "five" });
  });

  it("are read after earlier writes", async () => {
    const drafts = createDraftStore(await temporaryFolder());
    const writing = drafts.write("a", 1, "sent on leaving");
    expect(await drafts.read("a")).toMatchObject({ generation: 1, content: "sent on leaving" });
    await writing;
  });

  it("may be stored twice", async () => {
    const drafts = createDraftStore(await temporaryFolder());
    await drafts.write("a", 1, { text: "one" });
    expect(await drafts.write("a", 1, { text: "one" })).toMatchObject({ accepted: true });
  });

  it("let one of many writers of the same generation win", async () => {
    const drafts = createDraftStore(await temporaryFolder());
    const writes = Array.from({ length: 20 }, (_, index) => drafts.write("a", 1, `writer ${index}`));
    const accepted = (await Promise.all(writes)).filter((write) => write.accepted);
    expect(accepted).toHaveLength(1);
    expect(await drafts.read("a")).toEqual(accepted[0]?.draft);
  });

  it.each(["{half", "[]", '{"generation": "1"}', ""])(
    "start again where a file is damaged, which is kept aside: %s",
    async (damage) => {
      const folder = await temporaryFolder();
      await mkdir(join(folder, "drafts"));
      await writeFile(join(folder, "drafts", "a.json"), damage);
      const drafts = createDraftStore(folder);
      const { generation, damaged = "" } = await drafts.read("a");
      expect(generation).toBe(0);
      expect(await readFile(damaged, "utf8")).toBe(damage);
      expect(await drafts.write("a", 1, "new")).toMatchObject({ accepted: true });
      expect(await readFile(damaged, "utf8")).toBe(damage);
      expect(await drafts.read("a")).toMatchObject({ generation: 1, content: "new", damaged });
    },
  );

  it("are neither deleted nor overwritten unread while their review runs", async () => {
    const folder = await temporaryFolder();
    const [one, other] = [createDraftStore(folder), createDraftStore(folder)];
    await one.read("a");
    await other.write("a", 4, "an hour of words");
    expect(await one.write("a", 9, "unaware")).toMatchObject({
      accepted: false,
      draft: { generation: 4, content: "an hour of words" },
    });
    await one.remove("a");
    expect(await one.read("a")).toMatchObject({ content: "an hour of words" });
    await one.remove("a");
    expect(await other.read("a")).toMatchObject({ content: "an hour of words" });
    expect(await one.write("a", 5, "aware")).toMatchObject({ accepted: true });
    await other.remove("a");
    expect(await other.read("a")).toMatchObject({ content: "aware" });
    await one.remove("a");
    expect(await other.read("a")).toMatchObject({ generation: 0 });
  });

  it("are deleted by the review that continued them, once theirs has ended", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "drafts"));
    const process = { pid: 2 ** 22 + 1, host: hostname() };
    const left = { generation: 3, savedAt: "", content: "left", writer: { session: "gone", process } };
    const leave = () => writeFile(join(folder, "drafts", "a.json"), JSON.stringify(left));
    await leave();
    const unaware = createDraftStore(folder);
    await unaware.remove("a");
    expect(await unaware.read("a")).toEqual({ generation: 3, savedAt: "", content: "left", isEarlier: true });
    await unaware.remove("a");
    expect(await unaware.read("a")).toMatchObject({ generation: 0 });
    await leave();
    expect(await createDraftStore(folder).write("a", 4, "more")).toMatchObject({ accepted: true });
  });

  it("are readable by their owner only, without leftover files", async () => {
    const folder = await temporaryFolder();
    const drafts = createDraftStore(folder);
    await drafts.write("a", 1, "one");
    expect((await stat(join(folder, "drafts", "a.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "drafts"))).toEqual(["a.json"]);
    await drafts.remove("a");
    await drafts.remove("a");
    expect(await readdir(join(folder, "drafts"))).toEqual([]);
  });
});
