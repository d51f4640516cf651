import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRecordStore } from "../../../src/review/storage/records.ts";
import { planServer } from "../../support/plan-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("records", () => {
  it("return the latest readable decision", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    const times = ["2026-11-21T10:00:00Z", "2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z"];
    for (const time of times) {
      const store = createRecordStore(folder, () => new Date(time));
      await store.write(context, { kind: "deny", feedback: time });
    }
    await writeFile(join(folder, "decisions", "2027-01-01T00-00-00.000Z-half.json"), "{half");
    await writeFile(join(folder, "decisions", "2027-01-02T00-00-00.000Z-other.json"), "{}");
    expect(await createRecordStore(folder).last()).toMatchObject({
      kind: "plan",
      title: "Dig the tunnel",
      caller: "OpenCode",
      text: "Plan not approved.\n\n2026-11-21T11:00:00Z",
      json: { decision: "deny", feedback: "2026-11-21T11:00:00Z" },
    });
  });

  it("continue the numbers of 0.1, whose names begin with the time", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    await mkdir(join(folder, "decisions"));
    const old = (time: string) =>
      writeFile(
        join(folder, "decisions", `${time.replaceAll(":", "-")}-x.json`),
        JSON.stringify({ text: time, json: {} }),
      );
    await old("2026-01-02T10:00:00.000Z");
    await old("2026-01-01T10:00:00.000Z");
    expect(await createRecordStore(folder).last()).toMatchObject({ text: "2026-01-02T10:00:00.000Z" });
    await createRecordStore(folder, () => new Date(0)).write(context, { kind: "deny", feedback: "new" });
    expect(await createRecordStore(folder).last()).toMatchObject({ text: "Plan not approved.\n\nnew" });
  });

  it("have unique numbers, however many are written concurrently", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    const stores = Array.from({ length: 20 }, () => createRecordStore(folder));
    await Promise.all(stores.map((store) => store.write(context, { kind: "approve" })));
    const numbers = (await readdir(join(folder, "decisions"))).map((name) => Number(name.slice(0, 8)));
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  it("are found by the reviewed plan, whatever was decided later", async () => {
    const folder = await temporaryFolder();
    const one = (await planServer({ plan: "# One" })).context;
    const other = (await planServer({ plan: "# Other" })).context;
    const at = (time: string) => createRecordStore(folder, () => new Date(time));
    await at("2026-11-21T10:00:00Z").write(one, { kind: "deny", feedback: "first" });
    await at("2026-11-21T11:00:00Z").write(one, { kind: "approve", feedback: "second" });
    await at("2026-11-21T12:00:00Z").write(other, { kind: "deny", feedback: "third" });
    const found = await createRecordStore(folder).lastOn(one.mode.draftKey());
    expect(found?.decision).toEqual({ kind: "approve", feedback: "second" });
    expect(await createRecordStore(folder).lastOn("another")).toBeUndefined();
  });

  it("are still found after an agent has read them", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    const store = createRecordStore(folder);
    await store.markRead();
    await store.write(context, { kind: "deny", feedback: "read" });
    await store.markRead();
    expect(await readdir(join(folder, "decisions"))).toEqual([expect.stringMatching(/\.read\.json$/)]);
    expect(await createRecordStore(folder).last()).toMatchObject({ text: "Plan not approved.\n\nread" });
  });

  it("are empty at first", async () => {
    expect(await createRecordStore(await temporaryFolder()).last()).toBeUndefined();
  });

  it("report errors", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    await mkdir(join(folder, "x"));
    await writeFile(join(folder, "x", "decisions"), "in the way");
    const writing = createRecordStore(join(folder, "x")).write(context, { kind: "approve" });
    await expect(writing).rejects.toMatchObject({ code: "storage" });
  });
});
