import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { readJson, storageFailure, writeDurably } from "../../files/durable-file.ts";
import { withFileLock } from "../../files/file-lock.ts";
import type { ReviewContext } from "../context.ts";
import type { Decision, DecisionSource } from "../decision.ts";

/** A decision as it lies in the data directory: what `review last` reads when an agent missed it. */
export interface DecisionRecord {
  readonly sessionId: string;
  readonly kind: "plan" | "code";
  /** ISO 8601 */
  readonly decidedAt: string;
  /** The folder of the reviewed project; records of 0.1 have the working directory alone. */
  readonly project?: string;
  readonly cwd: string;
  readonly caller: string;
  readonly title: string;
  readonly decision: Decision;
  /** Whether a page or another program sent it; absent in records of 0.1. */
  readonly from?: DecisionSource;
  /** Identifies what was under review: the key of its draft. */
  readonly subject: string;
  /** As the agent was told, as text and as JSON. */
  readonly text: string;
  readonly json: object;
}

export interface RecordStore {
  /** Resolves once the decision is on disk; throws `storage` when it cannot be. */
  write(context: ReviewContext, decision: Decision, from?: DecisionSource): Promise<void>;
  /** Whether the last try at that has failed: whoever decides again has been told. */
  readonly hasFailed: boolean;
  /** Notes that the agent has read what was written: from then on it may be forgotten one day. Never throws. */
  markRead(): Promise<void>;
  /** Returns the latest decision that is wanted, by default of all. */
  last(isWanted?: (record: DecisionRecord) => boolean): Promise<DecisionRecord | undefined>;
  /** Returns the latest decision on this subject. */
  lastOn(subject: string): Promise<DecisionRecord | undefined>;
}

/** Decisions in the folder `decisions` of the data directory; `now` gives the time they were made. */
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
      // In its name, so that nothing has to be read to know it (`prune.ts`).
      if (written) await rename(written, written.replace(/\.json$/, ".read.json")).catch(() => {});
    },
    last,
    lastOn: (subject) => last((record) => record.subject === subject),
  };
}

/** Writes a record under the next number, and returns its path: clocks go back, numbers do not. */
async function writeNumbered(folder: string, record: DecisionRecord): Promise<string> {
  const time = record.decidedAt.replaceAll(":", "-");
  try {
    return await withFileLock(join(folder, "number.lock"), async () => {
      const latestNumber = Math.max(0, ...(await recordNames(folder)).map(numberOf));
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

/** The number a record's name begins with; 0 for records of 0.1, whose names begin with the time. */
function numberOf(name: string): number {
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
    const byNumber = numberOf(other) - numberOf(one);
    return byNumber === 0 ? (one < other ? 1 : -1) : byNumber;
  });
  // A file that cannot be read hides none of the others.
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
