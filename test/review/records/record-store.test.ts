import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRecordStore } from "../../../src/review/records/record-store.ts";
import { planServer } from "../../support/plan-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("records", () => {
  it("give back the latest decision, a damaged one hiding none", async () => {
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
      text: "2026-11-21T12:00:00Z",
      json: { decision: "deny", feedback: "2026-11-21T12:00:00Z" },
    });
  });

  it("are found by what was decided on, whatever was decided since", async () => {
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

  it("are found as before once an agent has read them", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    const store = createRecordStore(folder);
    await store.markRead();
    await store.write(context, { kind: "deny", feedback: "read" });
    await store.markRead();
    expect(await readdir(join(folder, "decisions"))).toEqual([expect.stringMatching(/\.read\.json$/)]);
    expect(await createRecordStore(folder).last()).toMatchObject({ text: "read" });
  });

  it("are none at first", async () => {
    expect(await createRecordStore(await temporaryFolder()).last()).toBeUndefined();
  });

  it("fail out loud", async () => {
    const { context } = await planServer();
    const folder = await temporaryFolder();
    await mkdir(join(folder, "x"));
    await writeFile(join(folder, "x", "decisions"), "in the way");
    const writing = createRecordStore(join(folder, "x")).write(context, { kind: "approve" });
    await expect(writing).rejects.toMatchObject({ code: "storage" });
  });
});
