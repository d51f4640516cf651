import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHistory } from "../../../src/review/storage/history.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function arrivals() {
  const dataDirectory = await temporaryFolder();
  const arrive = (plan: string, { cwd = "/work", title = "Dig" } = {}) =>
    openHistory({ dataDirectory, cwd, title, plan });
  return { dataDirectory, arrive };
}

describe("rounds", () => {
  it("are numbered and contain the decisions", async () => {
    const { arrive } = await arrivals();
    const first = await arrive("one");
    await first.decide({ kind: "deny", feedback: "no" }, "page");
    const second = await arrive("two");
    expect([first.round, second.round]).toEqual([1, 2]);
    expect(second.earlier).toMatchObject([
      { round: 1, plan: "one", decision: { decision: "deny", feedback: "no" } },
    ]);
    expect(first.earlier).toEqual([]);
  });

  it("are the same if an agent sends the same text again", async () => {
    const { arrive } = await arrivals();
    await arrive("one");
    expect(await arrive("one")).toMatchObject({ round: 1, earlier: [] });
    await (await arrive("one")).decide({ kind: "deny", feedback: "no" }, "page");
    expect(await arrive("one")).toMatchObject({ round: 2 });
  });

  it("belong to one title in one folder", async () => {
    const { arrive } = await arrivals();
    await arrive("one");
    expect(await arrive("two", { title: "Other" })).toMatchObject({ round: 1 });
    expect(await arrive("two", { cwd: "/elsewhere" })).toMatchObject({ round: 1 });
    expect(await arrive("two", { title: "dig!" })).toMatchObject({ round: 2 });
  });

  it("continue after a damaged one", async () => {
    const { arrive, dataDirectory } = await arrivals();
    await arrive("one");
    const [folder = ""] = await readdir(join(dataDirectory, "history"));
    await writeFile(join(dataDirectory, "history", folder, "0002.json"), "{half");
    await arrive("two");
    expect(await arrive("three")).toMatchObject({ round: 3, earlier: [{ plan: "one" }, { plan: "two" }] });
  });
});
