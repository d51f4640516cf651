import type { GitContext } from "../api-types.ts";
import type { DiffView } from "./diff-arguments.ts";
import { type DiffPlan, gitContextOf, planDiff } from "./diff-types.ts";
import { readHeads } from "./refs.ts";
import type { Repository } from "./repository.ts";
import type { GitPlace } from "./run-git.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** A snapshot that stays readable until it is released. */
export interface HeldDiff {
  readonly snapshot: Snapshot;
  readonly gitContext: GitContext;
  readonly git: GitPlace;
  release(): void;
}

/** The diff under review: one at a time, taken anew by a switch. */
export interface DiffDesk {
  readonly repository: Repository;
  /** The diff on the table; the first is begun on creation. With `ignoreSpace`, without changes of white space. */
  current(ignoreSpace?: boolean): Promise<HeldDiff>;
  /** Takes a diff and lays it on the table. When that fails, the one that lies there stays. */
  switchTo(diffType: string): Promise<HeldDiff>;
  close(): Promise<void>;
}

/** One diff and its variant without white space, which is taken when first asked for. */
interface Entry {
  readonly git: GitPlace;
  readonly plan: DiffPlan;
  readonly gitContext: GitContext;
  readonly whole: Snapshot;
  spaceless?: Promise<Snapshot>;
}

/** `paths`, from the repository's top, limit every diff; none means all of it. */
export function createDiffDesk(repository: Repository, paths: readonly string[] = []): DiffDesk {
  const view: DiffView = { ignoreSpace: false, paths };
  const take = async (diffType: string): Promise<Entry> => {
    const git = await repository.git();
    const heads = await readHeads(git);
    const plan = await planDiff(diffType, { git, heads, objectFormat: repository.objectFormat });
    const whole = await takeSnapshot(repository, git, plan, view);
    return { git, plan, gitContext: gitContextOf(heads), whole };
  };
  let latest = take("uncommitted");
  // Whoever asks for it is told of the failure.
  latest.catch(() => {});

  return {
    repository,
    async current(ignoreSpace = false) {
      const entry = await latest;
      if (!ignoreSpace) return hold(entry, entry.whole);
      entry.spaceless ??= takeSnapshot(repository, entry.git, entry.plan, { ...view, ignoreSpace });
      return hold(entry, await entry.spaceless);
    },
    async switchTo(diffType) {
      const entry = await take(diffType);
      const previous = latest;
      latest = Promise.resolve(entry);
      const held = hold(entry, entry.whole);
      void previous.then(closeEntry, () => {});
      return held;
    },
    close: () => latest.then(closeEntry, () => {}),
  };
}

function hold({ git, gitContext }: Entry, snapshot: Snapshot): HeldDiff {
  return { snapshot, gitContext, git, release: snapshot.spool.hold() };
}

async function closeEntry({ whole, spaceless }: Entry): Promise<void> {
  await whole.spool.close();
  await spaceless?.then((snapshot) => snapshot.spool.close()).catch(() => {});
}
