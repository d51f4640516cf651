import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { systemErrorCode } from "../../errors.ts";
import type { Draft } from "../api-types.ts";
import { writeDurably } from "../storage/durable-file.ts";
import { createQueue } from "../storage/in-turn.ts";

/** What was typed but not sent, one file a key, on disk before it is acknowledged. */
export interface DraftStore {
  /** The draft; generation 0 and no content where there is none. */
  read(key: string): Promise<Draft>;
  /**
   * Stores content under a generation that the page has raised. Refused, with what is stored, when another page has
   * come that far already: nothing is overwritten unseen. The same content once more is no conflict. Throws `storage`.
   */
  write(key: string, generation: number, content: unknown): Promise<DraftWrite>;
  /** Forgets it, once what it held has reached the agent. */
  remove(key: string): Promise<void>;
}

export interface DraftWrite {
  readonly accepted: boolean;
  readonly draft: Draft;
}

const NOT_THERE = new Set(["ENOENT", "ENOTDIR"]);
const NONE: Draft = { generation: 0, savedAt: "", content: null };

/** Drafts in the folder `drafts` of the data directory; `now` gives the time they are marked with. */
export function createDraftStore(dataDirectory: string, now: () => Date = () => new Date()): DraftStore {
  const pathOf = (key: string) => join(dataDirectory, "drafts", `${key}.json`);
  // So that generations are compared with what is really there, and a page that reloads finds what it sent while it
  // was leaving.
  const inTurn = createQueue();
  return {
    read: (key) => inTurn(() => readDraft(pathOf(key))),
    write: (key, generation, content) =>
      inTurn(async () => {
        const stored = await readDraft(pathOf(key));
        if (generation <= stored.generation) {
          const isRepeated = generation === stored.generation && isDeepStrictEqual(content, stored.content);
          return { accepted: isRepeated, draft: stored };
        }
        const draft: Draft = { generation, savedAt: now().toISOString(), content };
        await writeDurably(pathOf(key), JSON.stringify(draft));
        return { accepted: true, draft };
      }),
    remove: (key) => inTurn(() => rm(pathOf(key), { force: true })),
  };
}

async function readDraft(path: string): Promise<Draft> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isDraft(value) ? value : NONE;
  } catch (error) {
    if (error instanceof SyntaxError || NOT_THERE.has(systemErrorCode(error) ?? "")) return NONE;
    throw error;
  }
}

function isDraft(value: unknown): value is Draft {
  return (
    typeof value === "object" &&
    value !== null &&
    "content" in value &&
    "generation" in value &&
    typeof value.generation === "number" &&
    "savedAt" in value &&
    typeof value.savedAt === "string"
  );
}
