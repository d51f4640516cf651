import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { createRecordStore } from "../../src/review/storage/records.ts";

export interface SavedDraft {
  readonly generation: number;
  readonly content: unknown;
}

/** The requests and responses of a page until its server was killed. */
export interface Traffic {
  readonly drafts: SavedDraft[];
  /** The highest acknowledged generation. */
  acknowledged: number;
  readonly feedback: string;
  isDecisionSent: boolean;
  isDecisionAcknowledged: boolean;
}

export function newTraffic(feedback: string): Traffic {
  return { drafts: [], acknowledged: 0, feedback, isDecisionSent: false, isDecisionAcknowledged: false };
}

/** Checks that all acknowledged data is completely on disk, and that nothing else is. */
export async function expectNothingLost(folder: string, traffic: Traffic, stdout: string): Promise<void> {
  const record = await createRecordStore(join(folder, "data")).last();
  if (traffic.isDecisionAcknowledged) expect(record?.json).toMatchObject({ feedback: traffic.feedback });
  if (record) {
    expect(traffic.isDecisionSent).toBe(true);
    expect(record.json).toMatchObject({ decision: "deny", feedback: traffic.feedback });
  } else expect([stdout, await roundsDecided(folder)]).toEqual(["", []]);

  const draft = await readDraft(folder);
  // The draft is removed once the agent has read the decision, not earlier.
  if (draft === undefined) expect(traffic.acknowledged === 0 || record !== undefined).toBe(true);
  else {
    expect(draft.generation).toBeGreaterThanOrEqual(traffic.acknowledged);
    expect(draft.content).toEqual(
      traffic.drafts.find((each) => each.generation === draft.generation)?.content,
    );
  }
}

/** Returns the only draft on disk, which must be complete. */
export async function readDraft(folder: string): Promise<SavedDraft | undefined> {
  const drafts = join(folder, "data", "drafts");
  const names = (await readdir(drafts).catch(() => [])).filter((name) => name.endsWith(".json"));
  expect(names.length).toBeLessThanOrEqual(1);
  if (names[0] === undefined) return undefined;
  const { generation, content } = JSON.parse(await readFile(join(drafts, names[0]), "utf8"));
  return { generation, content };
}

async function roundsDecided(folder: string): Promise<unknown[]> {
  const history = join(folder, "data", "history");
  const names = await readdir(history, { recursive: true }).catch(() => []);
  const files = names.filter((name) => /(^|[/\\])\d+\.json$/.test(name));
  const rounds = await Promise.all(files.map((name) => readFile(join(history, name), "utf8")));
  return rounds.map((text) => JSON.parse(text).decision).filter(Boolean);
}
