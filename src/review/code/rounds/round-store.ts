import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { readJson, writeDurably } from "../../../files/durable-file.ts";
import type { DiffRound } from "../../api-types.ts";
import { codeAnnotation } from "../code-schemas.ts";

/** Rounds that are kept of a branch; what is older has been dealt with. */
const MAX_ROUNDS = 10;

/** A round as it is kept: with each file's changed lines as `lineMarks` has them, where they are known. */
export interface StoredRound extends Omit<DiffRound, "files"> {
  readonly files: readonly (DiffRound["files"][0] & { readonly lines?: string })[];
}

/** What was sent about each branch of a working tree, so that the next round can show what has changed since. */
export interface RoundStore {
  /** Oldest first. */
  read(branch: string): Promise<readonly StoredRound[]>;
  /** Adds a round; its number is given here. Throws what the file system throws. */
  add(branch: string, round: Omit<StoredRound, "round">): Promise<void>;
}

const stored = z.array(
  z.object({
    round: z.number(),
    sentAt: z.string(),
    diffType: z.string(),
    gitRef: z.string(),
    // Rounds of 0.1 did not say.
    paths: z.array(z.string()).default([]),
    text: z.string(),
    annotations: z.array(codeAnnotation.extend({ code: z.string().exactOptional() })),
    files: z.array(
      z.object({ path: z.string(), fingerprint: z.string(), lines: z.string().exactOptional() }),
    ),
  }),
);

/** `root` is the working tree's top folder. A file that cannot be understood counts as none. */
export function createRoundStore(dataDirectory: string, root: string): RoundStore {
  const pathOf = (branch: string) => {
    const key = createHash("sha256").update(`${root}\0${branch}`).digest("hex").slice(0, 32);
    return join(dataDirectory, "rounds", `${key}.json`);
  };
  const read = async (branch: string): Promise<readonly StoredRound[]> => {
    const rounds = stored.safeParse(await readJson(pathOf(branch)));
    return rounds.success ? rounds.data : [];
  };
  return {
    read,
    async add(branch, round) {
      const earlier = await read(branch);
      const number = (earlier.at(-1)?.round ?? 0) + 1;
      // Lines are compared with those of the last round on the same diff alone.
      const kept = earlier.map((each) =>
        isSameDiff(each, round) ? { ...each, files: each.files.map(withoutLines) } : each,
      );
      const rounds = [...kept, { round: number, ...round }].slice(-MAX_ROUNDS);
      await writeDurably(pathOf(branch), JSON.stringify(rounds));
    },
  };
}

/** What tells one comparison from another. */
export type DiffIdentity = Pick<StoredRound, "diffType" | "gitRef" | "paths">;

/** Whether two rounds, or a round and a diff, compare the same things, so that their files can be compared. */
export function isSameDiff(one: DiffIdentity, other: DiffIdentity): boolean {
  return (
    one.gitRef === other.gitRef &&
    // The first commit of a repository and its uncommitted changes have one gitRef.
    (one.gitRef !== "HEAD" || one.diffType === other.diffType) &&
    one.paths.join("\0") === other.paths.join("\0")
  );
}

/** A remembered file as the page gets it: what its lines were is for the server to compare. */
export function withoutLines({ path, fingerprint }: StoredRound["files"][0]): DiffRound["files"][0] {
  return { path, fingerprint };
}
