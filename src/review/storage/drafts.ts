import { randomUUID } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AppError, systemErrorCode } from "../../errors.ts";
import { storageFailure, writeDurably } from "../../files/durable-file.ts";
import { withFileLock } from "../../files/file-lock.ts";
import { createQueue } from "../../files/in-turn.ts";
import { getProcessMark, isProcessMark, mayStillRun, type ProcessMark } from "../../files/running-process.ts";
import type { Draft } from "../api-types.ts";

/** Unsent text, one file per key. A write is acknowledged once it is on disk. */
export interface DraftStore {
  /** Returns the draft; generation 0 without content if there is none. A damaged file is renamed and reported. */
  read(key: string): Promise<Draft>;
  /**
   * Stores content under a generation higher than the stored one. Returns `accepted: false` with the stored draft if
   * another page has reached that generation, or if another running review has stored a draft that this one has not
   * read. Accepts the stored generation with the stored content. Throws `storage`.
   */
  write(key: string, generation: number, content: unknown): Promise<DraftWrite>;
  /**
   * Removes a draft whose content has reached the agent: one that this review wrote, or read from a review that has
   * ended. A draft that another review has written since is kept.
   */
  remove(key: string): Promise<void>;
}

export interface DraftWrite {
  readonly accepted: boolean;
  readonly draft: Draft;
}

interface DraftStoreOptions {
  /** Identifies the review that writes. */
  readonly session?: string;
  /** Returns the time for `savedAt`. */
  readonly now?: () => Date;
}

/** A draft as it is stored in its file. */
interface StoredDraft extends Draft {
  readonly writer?: { readonly session: string; readonly process: ProcessMark };
}

const NOT_THERE = new Set(["ENOENT", "ENOTDIR"]);
const NONE: Draft = { generation: 0, savedAt: "", content: null };

/** Creates the store of drafts in the folder `drafts` of the data directory. */
export function createDraftStore(dataDirectory: string, options: DraftStoreOptions = {}): DraftStore {
  const { session = randomUUID(), now = () => new Date() } = options;
  const folder = join(dataDirectory, "drafts");
  const toPath = (key: string) => join(folder, `${key}.json`);
  /** The latest generation that this review has read or written, by key. */
  const known = new Map<string, number>();
  const damaged = new Map<string, string>();
  // Serializes access, so that a page that reloads finds what it sent while unloading.
  const inTurn = createQueue();
  const locked = async <Result>(key: string, task: () => Promise<Result>): Promise<Result> => {
    try {
      return await withFileLock(join(folder, `${key}.lock`), task);
    } catch (error) {
      throw error instanceof AppError ? error : storageFailure(folder, error);
    }
  };
  const load = async (key: string): Promise<StoredDraft> => {
    const stored = await readDraft(toPath(key));
    if (stored !== "damaged") return stored;
    const backup = join(folder, `${key}.damaged-${now().toISOString().replaceAll(":", "-")}`);
    await rename(toPath(key), backup).catch(() => {});
    damaged.set(key, backup);
    return NONE;
  };
  const isAlive = ({ writer }: StoredDraft) => writer !== undefined && mayStillRun(writer.process);
  const isOwn = ({ writer }: StoredDraft) => writer?.session === session;

  return {
    read: (key) =>
      inTurn(async () => {
        const stored = await load(key);
        known.set(key, stored.generation);
        const backup = damaged.get(key);
        return {
          ...toDraft(stored),
          ...(stored.generation > 0 && !isOwn(stored) ? { isEarlier: true } : {}),
          damaged: backup,
        };
      }),
    write: (key, generation, content) =>
      inTurn(() =>
        locked(key, async () => {
          const stored = await load(key);
          const isUnseen = !isOwn(stored) && stored.generation > (known.get(key) ?? 0) && isAlive(stored);
          if (generation <= stored.generation || isUnseen) {
            const isRepeated = generation === stored.generation && isDeepStrictEqual(content, stored.content);
            return { accepted: isRepeated, draft: toDraft(stored) };
          }
          const draft: Draft = { generation, savedAt: now().toISOString(), content };
          const writer = { session, process: getProcessMark() };
          await writeDurably(toPath(key), JSON.stringify({ ...draft, writer }));
          known.set(key, generation);
          return { accepted: true, draft };
        }),
      ),
    remove: (key) =>
      inTurn(() =>
        locked(key, async () => {
          const stored = await load(key);
          const isRestored = stored.generation <= (known.get(key) ?? 0) && !isAlive(stored);
          if (isOwn(stored) || isRestored) await rm(toPath(key), { force: true });
        }),
      ),
  };
}

/** Returns a draft without the members that only the store uses. */
function toDraft({ generation, savedAt, content }: StoredDraft): Draft {
  return { generation, savedAt, content };
}

async function readDraft(path: string): Promise<StoredDraft | "damaged"> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isDraft(value) ? value : "damaged";
  } catch (error) {
    if (error instanceof SyntaxError) return "damaged";
    if (NOT_THERE.has(systemErrorCode(error) ?? "")) return NONE;
    throw error;
  }
}

function isDraft(value: unknown): value is StoredDraft {
  return (
    typeof value === "object" &&
    value !== null &&
    "content" in value &&
    "generation" in value &&
    typeof value.generation === "number" &&
    "savedAt" in value &&
    typeof value.savedAt === "string" &&
    (!("writer" in value) || isWriter(value.writer))
  );
}

function isWriter(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "session" in value &&
    typeof value.session === "string" &&
    "process" in value &&
    isProcessMark(value.process)
  );
}
