import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readJson, writeDurably } from "../../../files/durable-file.ts";
import type { DiffRound } from "../../api-types.ts";
import { codeAnnotation } from "../code-schemas.ts";
import type { CompressedRound } from "./sent-diff.ts";

/** Maximum rounds kept for a branch. */
const MAX_ROUNDS = 10;

/** A round as it is stored, with the `lineMarks` of each file where they are known. */
export interface StoredRound extends Omit<DiffRound, "files"> {
  readonly files: readonly (DiffRound["files"][0] & { readonly lines?: string })[];
}

/** The feedback sent about each branch, which the next round uses to show what has changed. */
export interface RoundStore {
  /** Returns the rounds of a branch, oldest first. */
  read(branch: string): Promise<readonly StoredRound[]>;
  /**
   * Adds a round and the compressed diff on which its feedback was sent. Assigns the number of the round. Throws
   * `storage`.
   */
  add(branch: string, round: Omit<StoredRound, "round">, sent: Uint8Array): Promise<void>;
  /** Returns the compressed diff of a round, by default the last one; undefined if it is not stored. */
  readSent(branch: string, round: number | undefined): Promise<CompressedRound | undefined>;
}

const stored = z.array(
  z.object({
    round: z.number(),
    sentAt: z.string(),
    diffType: z.string(),
    gitRef: z.string(),
    // Absent in rounds of version 0.1.
    paths: z.array(z.string()).default([]),
    text: z.string(),
    annotations: z.array(codeAnnotation.extend({ code: z.string().exactOptional() })),
    files: z.array(
      z.object({ path: z.string(), fingerprint: z.string(), lines: z.string().exactOptional() }),
    ),
  }),
);

/**
 * Creates the round store of a working tree with the top folder `root`, or of a pull request with the address `root`. A
 * file that cannot be read or parsed is treated as empty.
 */
export function createRoundStore(dataDirectory: string, root: string): RoundStore {
  const toStem = (branch: string) => {
    const key = createHash("sha256").update(`${root}\0${branch}`).digest("hex").slice(0, 32);
    return join(dataDirectory, "rounds", key);
  };
  const toPath = (branch: string) => `${toStem(branch)}.json`;
  const toSentPath = (branch: string, round: number) => `${toStem(branch)}.${round}.diff.gz`;
  const read = async (branch: string): Promise<readonly StoredRound[]> => {
    const rounds = stored.safeParse(await readJson(toPath(branch)));
    return rounds.success ? rounds.data : [];
  };
  return {
    read,
    async add(branch, round, sent) {
      const earlier = await read(branch);
      const number = (earlier.at(-1)?.round ?? 0) + 1;
      // Line hashes are needed only for the last round with the same comparison.
      const kept = earlier.map((each) =>
        isSameDiff(each, round) ? { ...each, files: each.files.map(withoutLines) } : each,
      );
      const rounds = [...kept, { round: number, ...round }].slice(-MAX_ROUNDS);
      await writeDurably(toPath(branch), JSON.stringify(rounds));
      await writeDurably(toSentPath(branch, number), sent);
      await rm(toSentPath(branch, number - MAX_ROUNDS), { force: true });
    },
    async readSent(branch, round) {
      const number = round ?? (await read(branch)).at(-1)?.round;
      if (number === undefined) return undefined;
      const compressed = await readFile(toSentPath(branch, number)).catch(() => undefined);
      return compressed && { round: number, compressed };
    },
  };
}

/** The members that identify a comparison. */
export type DiffIdentity = Pick<StoredRound, "diffType" | "gitRef" | "paths">;

/**
 * Reports whether two rounds, or a round and a diff, make the same comparison, so that their files are comparable.
 */
export function isSameDiff(one: DiffIdentity, other: DiffIdentity): boolean {
  return (
    one.gitRef === other.gitRef &&
    // The first commit of a repository and its uncommitted changes have the same gitRef.
    (one.gitRef !== "HEAD" || one.diffType === other.diffType) &&
    one.paths.join("\0") === other.paths.join("\0")
  );
}

/** Returns a stored file without its line hashes, which only the server uses. */
export function withoutLines({ path, fingerprint }: StoredRound["files"][0]): DiffRound["files"][0] {
  return { path, fingerprint };
}
