import { setMaxListeners } from "node:events";
import type { GitContext } from "../api-types.ts";
import type { DiffView } from "./diff-arguments.ts";
import { type DiffPlan, gitContextOf, planDiff } from "./diff-types.ts";
import type { ListedFile } from "./listed-files.ts";
import { probeDiff } from "./probe.ts";
import { readHeads } from "./refs.ts";
import type { Repository } from "./repository.ts";
import type { GitPlace } from "./run-git.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { takePart } from "./take-part.ts";

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
  /** From the repository's top, what every diff is limited to; none means all of it. */
  readonly paths: readonly string[];
  /** The diff on the table; the first is begun with the first call. With `ignoreSpace`, without changes of white space. */
  current(ignoreSpace?: boolean): Promise<HeldDiff>;
  /**
   * Some files of the first diff, taken on their own while all of it is still being taken. `choose` gets every
   * file's name; undefined where it chooses none, or they cannot be taken apart from the others.
   */
  part(choose: (files: readonly ListedFile[]) => readonly ListedFile[]): Promise<HeldDiff | undefined>;
  /** Takes a diff and lays it on the table. When that fails, the one that lies there stays. */
  switchTo(diffType: string): Promise<HeldDiff>;
  /**
   * Whether the diff on the table would be another if it were taken now. Cheap while nothing happens: only what may
   * have changed something, as far as file times tell, makes it take the diff anew.
   */
  isOutdated(): Promise<boolean>;
  close(): Promise<void>;
}

type Planned = Pick<Entry, "git" | "plan" | "gitContext">;

/** One diff and its variant without white space, which is taken when first asked for. */
interface Entry {
  readonly git: GitPlace;
  readonly plan: DiffPlan;
  readonly gitContext: GitContext;
  readonly whole: Snapshot;
  spaceless?: Promise<Snapshot>;
  /** What the last look found, and the probe it goes by. */
  lastLook?: { readonly probe: string; readonly isOutdated: boolean };
}

/** `paths`, from the repository's top, limit every diff; none means all of it. */
export function createDiffDesk(repository: Repository, paths: readonly string[] = []): DiffDesk {
  const view: DiffView = { ignoreSpace: false, paths };
  const closing = new AbortController();
  // Every git that runs listens to it, and many may run at once.
  setMaxListeners(0, closing.signal);
  const plan = async (diffType: string): Promise<Planned> => {
    const git = await repository.git(closing.signal);
    const heads = await readHeads(git);
    const plan = await planDiff(diffType, { git, heads, objectFormat: repository.objectFormat });
    return { git, plan, gitContext: gitContextOf(heads) };
  };
  const take = async (planned: Promise<Planned>): Promise<Entry> => {
    const { git, plan } = await planned;
    return { ...(await planned), whole: await takeSnapshot(repository, git, plan, view) };
  };
  let first: Promise<Planned> | undefined;
  const firstPlan = () => {
    first ??= plan("uncommitted");
    return first;
  };
  let latest: Promise<Entry> | undefined;
  // Not on creation: git would take the processor from the server, which is to be there first.
  const onTable = () => {
    latest ??= take(firstPlan());
    return latest;
  };
  const parts = new Set<Promise<unknown>>();

  return {
    repository,
    paths,
    async current(ignoreSpace = false) {
      const entry = await onTable();
      if (!ignoreSpace) return hold(entry, entry.whole);
      entry.spaceless ??= takeSnapshot(repository, entry.git, entry.plan, { ...view, ignoreSpace });
      try {
        return hold(entry, await entry.spaceless);
      } catch (error) {
        delete entry.spaceless;
        throw error;
      }
    },
    async part(choose) {
      const planned = await firstPlan();
      const taking = takePart(repository, planned.git, planned.plan, { view, choose });
      parts.add(taking);
      const snapshot = await taking.finally(() => parts.delete(taking));
      return snapshot && { ...planned, snapshot, release: () => void snapshot.spool.close() };
    },
    async switchTo(diffType) {
      const entry = await take(plan(diffType));
      const previous = latest;
      latest = Promise.resolve(entry);
      const held = hold(entry, entry.whole);
      void previous?.then(closeEntry, () => {});
      return held;
    },
    async isOutdated() {
      const entry = await onTable();
      const now = await plan(entry.plan.diffType);
      const probe = await probeDiff(now.git, now.plan, view);
      if (probe !== entry.lastLook?.probe) {
        const fresh = await takeSnapshot(repository, now.git, now.plan, view);
        await fresh.spool.close();
        entry.lastLook = { probe, isOutdated: fresh.diffId !== entry.whole.diffId };
      }
      return entry.lastLook.isOutdated;
    },
    async close() {
      closing.abort();
      await Promise.allSettled([latest?.then(closeEntry), ...parts]);
    },
  };
}

function hold({ git, gitContext }: Entry, snapshot: Snapshot): HeldDiff {
  return { snapshot, gitContext, git, release: snapshot.spool.hold() };
}

async function closeEntry({ whole, spaceless }: Entry): Promise<void> {
  await whole.spool.close();
  await spaceless?.then((snapshot) => snapshot.spool.close()).catch(() => {});
}
