import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Decision } from "../decision.ts";
import type { ReviewContext } from "../review-mode.ts";
import { readJson, writeDurably } from "../storage/durable-file.ts";

/** A decision as it lies in the data directory: what `review last` reads when an agent missed it. */
export interface DecisionRecord {
  readonly sessionId: string;
  readonly kind: "plan" | "code";
  /** ISO 8601 */
  readonly decidedAt: string;
  readonly cwd: string;
  readonly caller: string;
  readonly title: string;
  readonly decision: Decision;
  /** Identifies what was under review by its content: the key of its draft. */
  readonly subject: string;
  /** As the agent was told, as text and as JSON. */
  readonly text: string;
  readonly json: object;
}

export interface RecordStore {
  /** Resolves once the decision is on disk; throws `storage` when it cannot be. */
  write(context: ReviewContext, decision: Decision): Promise<void>;
  /** Whether the last try at that has failed: whoever decides again has been told. */
  readonly hasFailed: boolean;
  /** Notes that the agent has read what was written: from then on it may be forgotten one day. Never throws. */
  markRead(): Promise<void>;
  /** The latest decision, whoever asked for it. */
  last(): Promise<DecisionRecord | undefined>;
  /** The latest decision on what has this content. */
  lastOn(subject: string): Promise<DecisionRecord | undefined>;
}

/** Decisions in the folder `decisions` of the data directory; `now` gives the time they were made. */
export function createRecordStore(dataDirectory: string, now: () => Date = () => new Date()): RecordStore {
  const folder = join(dataDirectory, "decisions");
  let hasFailed = false;
  let written: string | undefined;
  return {
    get hasFailed() {
      return hasFailed;
    },
    async write(context, decision) {
      const record = describe(context, decision, now());
      const name = `${record.decidedAt.replaceAll(":", "-")}-${record.sessionId}.json`;
      const path = join(folder, name);
      try {
        await writeDurably(path, `${JSON.stringify(record, null, 2)}\n`);
        written = path;
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
    last: () => latest(folder, () => true),
    lastOn: (subject) => latest(folder, (record) => record.subject === subject),
  };
}

async function latest(
  folder: string,
  isWanted: (record: DecisionRecord) => boolean,
): Promise<DecisionRecord | undefined> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  // The names begin with the time; a file that cannot be read hides none of the others.
  for (const name of names.sort().reverse()) {
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
