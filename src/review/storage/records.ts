import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { readJson, storageFailure, writeDurably } from "../../files/durable-file.ts";
import { withFileLock } from "../../files/file-lock.ts";
import type { ReviewContext } from "../context.ts";
import type { Decision, DecisionSource } from "../decision.ts";

/** A decision in the data directory. `review last` prints it, for example if the agent missed it. */
export interface DecisionRecord {
  readonly sessionId: string;
  readonly kind: "plan" | "code" | "pr";
  /** ISO 8601 */
  readonly decidedAt: string;
  /** The folder of the reviewed project; absent in records of version 0.1, which have only `cwd`. */
  readonly project?: string;
  readonly cwd: string;
  readonly caller: string;
  readonly title: string;
  readonly decision: Decision;
  /** Whether a page or another program sent the decision; absent in records of version 0.1. */
  readonly from?: DecisionSource;
  /** The key of the draft, which identifies the plan or branch under review. */
  readonly subject: string;
  /** The decision as `review last` prints it: as text, and as JSON with `--json`. */
  readonly text: string;
  readonly json: object;
}

export interface RecordStore {
  /** Records a decision and resolves once it is on disk. Throws `storage`. */
  write(context: ReviewContext, decision: Decision, from?: DecisionSource): Promise<void>;
  /** Whether the last write failed. The client has then received the error, and may decide without a record. */
  readonly hasFailed: boolean;
  /** Marks the written record as read by the agent, so that it may be pruned later. Never rejects. */
  markRead(): Promise<void>;
  /** Returns the latest decision that `isWanted` accepts, or the latest of all decisions if it is omitted. */
  last(isWanted?: (record: DecisionRecord) => boolean): Promise<DecisionRecord | undefined>;
  /** Returns the latest decision on this plan or branch. */
  lastOn(subject: string): Promise<DecisionRecord | undefined>;
}

/**
 * Creates the store of decisions in the folder `decisions` of the data directory. `now` returns the time of a
 * decision.
 */
export function createRecordStore(dataDirectory: string, now: () => Date = () => new Date()): RecordStore {
  const folder = join(dataDirectory, "decisions");
  let hasFailed = false;
  let written: string | undefined;
  const last: RecordStore["last"] = (isWanted = () => true) => latest(folder, isWanted);
  return {
    get hasFailed() {
      return hasFailed;
    },
    async write(context, decision, from = "page") {
      const record = { ...describe(context, decision, now()), from };
      try {
        written = await writeNumbered(folder, record);
        hasFailed = false;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
    async markRead() {
      // The mark is part of the name, so that `prune.ts` need not read the file.
      if (written) await rename(written, written.replace(/\.json$/, ".read.json")).catch(() => {});
    },
    last,
    lastOn: (subject) => last((record) => record.subject === subject),
  };
}

/**
 * Writes a record under the next number and returns its path. Numbers define the order, because clocks can be set
 * back.
 */
async function writeNumbered(folder: string, record: DecisionRecord): Promise<string> {
  const time = record.decidedAt.replaceAll(":", "-");
  try {
    return await withFileLock(join(folder, "number.lock"), async () => {
      const latestNumber = Math.max(0, ...(await recordNames(folder)).map(parseNumber));
      const number = String(latestNumber + 1).padStart(NUMBER_DIGITS, "0");
      const path = join(folder, `${number}-${time}-${record.sessionId}.json`);
      await writeDurably(path, `${JSON.stringify(record, null, 2)}\n`);
      return path;
    });
  } catch (error) {
    throw error instanceof AppError ? error : storageFailure(folder, error);
  }
}

const NUMBER_DIGITS = 8;

/** Returns the number at the start of a record's name; 0 for version 0.1, whose names start with the time. */
function parseNumber(name: string): number {
  return Number(/^(\d{8,})-/.exec(name)?.[1] ?? 0);
}

async function recordNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
}

async function latest(
  folder: string,
  isWanted: (record: DecisionRecord) => boolean,
): Promise<DecisionRecord | undefined> {
  const names = (await recordNames(folder)).sort((one, other) => {
    const byNumber = parseNumber(other) - parseNumber(one);
    return byNumber === 0 ? (one < other ? 1 : -1) : byNumber;
  });
  // Skips files that cannot be read.
  for (const name of names) {
    const record = await readJson(join(folder, name));
    if (isRecord(record) && isWanted(record)) return record;
  }
  return undefined;
}

function describe(context: ReviewContext, decision: Decision, time: Date): DecisionRecord {
  const { title, text, json } = context.mode.present(decision);
  return {
    sessionId: context.sessionId,
    kind: context.mode.kind,
    decidedAt: time.toISOString(),
    project: context.project,
    cwd: context.caller.cwd,
    caller: context.caller.name,
    title,
    decision,
    subject: context.mode.draftKey(),
    text,
    json,
  };
}

function isRecord(value: unknown): value is DecisionRecord {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "json" in value &&
    typeof value.json === "object"
  );
}
