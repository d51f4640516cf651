import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { prune } from "../../../src/review/storage/prune.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const LEFTOVER = ".0123456789abcdef.tmp";

/** Creates a data directory with files of these ages in days, and prunes it. */
async function pruned(
  ages: Record<string, number>,
  options: { inUse?: string[]; open?: string[]; steps?: number } = {},
) {
  const dataDirectory = await temporaryFolder();
  for (const [name, days] of Object.entries(ages)) {
    const path = join(dataDirectory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "{}");
    const time = new Date(NOW - days * DAY_MS);
    await utimes(path, time, time);
    if (name.startsWith("history/")) await utimes(dirname(path), time, time);
  }
  let steps = options.steps ?? Number.POSITIVE_INFINITY;
  const shouldContinue = () => steps-- > 0;
  const readOpen = async () => new Set(options.open);
  await prune({ dataDirectory, now: NOW, inUse: new Set(options.inUse), readOpen, shouldContinue });
  const left = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  return left
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dataDirectory.length + 1));
}

/** Creates this number of files, each a day older than the previous one; the first has this age. */
function series(count: number, days: number, name: (number: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), days + at]));
}

describe("pruning", () => {
  it.each([
    ["decisions that an agent has read", 90, (at: number) => `decisions/${at}.read.json`],
    ["the rounds of plans", 180, (at: number) => `history/plan-${at}/0001.json`],
    ["the rounds of branches", 180, (at: number) => `rounds/${at}.json`],
    ["drafts", 365, (at: number) => `drafts/${at}.json`],
    ["the threads of reviews", 180, (at: number) => `threads/${"a".repeat(16)}-${at}.jsonl`],
    ["the plans of live reviews", 180, (at: number) => `live-plans/${at}.md`],
  ] as const)("of %s: the young, and the newest 200 whatever their age", async (_name, days, name) => {
    const young = series(250, days - 251, name);
    expect(await pruned(young)).toHaveLength(250);
    const old = series(250, days + 1, name);
    const left = await pruned(old);
    expect(left.sort()).toEqual(Object.keys(series(200, 0, name)).sort());
  });

  it("keeps at most the newest 2000 threads, and always those of open reviews", async () => {
    const name = (at: number) => `threads/${"a".repeat(16)}-${at}.jsonl`;
    const young = Object.fromEntries(Array.from({ length: 2_005 }, (_, at) => [name(at), at / 100]));
    const left = await pruned(young, { open: [`${"a".repeat(16)}-2004.jsonl`] });
    expect(left).toHaveLength(2_001);
    expect(left).toContain(name(2_004));
    expect(left).not.toContain(name(2_003));
  });

  it("keeps new indexes of working trees, and the newest 10 of any age", async () => {
    const name = (at: number) => `indexes/${at}.index`;
    expect(await pruned({ ...series(20, 1, name), "indexes/1.index.77.tmp": 2 })).toHaveLength(20);
    const left = await pruned(series(20, 31, name));
    expect(left.sort()).toEqual(Object.keys(series(10, 0, name)).sort());
  });

  it("keeps decisions that no agent has read, saved plans and foreign files", async () => {
    const files = {
      ...series(300, 1_000, (at) => `decisions/${at}.json`),
      ...series(300, 1_000, (at) => `plans/plan-${at}-approved.md`),
      ...series(300, 1_000, (at) => `drafts/note-${at}.txt`),
      "settings.json": 3_000,
      "elsewhere/old.json": 3_000,
    };
    expect(await pruned(files)).toHaveLength(Object.keys(files).length);
  });

  it("keeps the draft in use, however old", async () => {
    const left = await pruned(
      series(250, 400, (at) => `drafts/${at}.json`),
      { inUse: ["249.json"] },
    );
    expect([left.includes("drafts/249.json"), left.includes("drafts/248.json")]).toEqual([true, false]);
  });

  it("keeps everything if the review is over first", async () => {
    expect(
      await pruned(
        series(250, 400, (at) => `drafts/${at}.json`),
        { steps: 260 },
      ),
    ).toHaveLength(240);
    expect(
      await pruned(
        series(250, 400, (at) => `drafts/${at}.json`),
        { steps: 0 },
      ),
    ).toHaveLength(250);
  });
});

describe("files that a killed process has left", () => {
  it("are deleted after a day, in each of the folders", async () => {
    const folders = ["", "decisions/", "drafts/", "plans/", "rounds/"];
    const old = Object.fromEntries(folders.map((folder) => [`${folder}${LEFTOVER}`, 2]));
    expect(await pruned(old)).toEqual([]);
    const young = Object.fromEntries(folders.map((folder) => [`${folder}${LEFTOVER}`, 0.5]));
    expect(await pruned(young)).toHaveLength(folders.length);
  });
});

it("are ignored if the data directory is missing or invalid", async () => {
  const dataDirectory = join(await temporaryFolder(), "none");
  await prune({ dataDirectory, inUse: new Set(), shouldContinue: () => true });
  await mkdir(dataDirectory);
  await writeFile(join(dataDirectory, "drafts"), "in the way");
  await prune({ dataDirectory, inUse: new Set(), shouldContinue: () => true });
  expect(await readdir(dataDirectory)).toEqual(["drafts"]);
});
