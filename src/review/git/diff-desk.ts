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
import { type PartOptions, takePart } from "./take-part.ts";

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
  return new Desk(repository, paths);
}

class Desk implements DiffDesk {
  readonly repository: Repository;
  readonly paths: readonly string[];
  private readonly view: DiffView;
  private readonly closing = new AbortController();
  private readonly parts = new Set<Promise<unknown>>();
  private first: Promise<Planned> | undefined;
  private latest: Promise<Entry> | undefined;

  constructor(repository: Repository, paths: readonly string[]) {
    this.repository = repository;
    this.paths = paths;
    this.view = { ignoreSpace: false, paths };
    // Every git that runs listens to it, and many may run at once.
    setMaxListeners(0, this.closing.signal);
  }

  async current(ignoreSpace = false): Promise<HeldDiff> {
    const entry = await this.onTable();
    if (!ignoreSpace) return hold(entry, entry.whole);
    entry.spaceless ??= this.take(entry, { ...this.view, ignoreSpace });
    try {
      return hold(entry, await entry.spaceless);
    } catch (error) {
      delete entry.spaceless;
      throw error;
    }
  }

  async part(choose: PartOptions["choose"]): Promise<HeldDiff | undefined> {
    const planned = await this.firstPlan();
    const taking = takePart(this.repository, planned.git, planned.plan, { view: this.view, choose });
    this.parts.add(taking);
    const snapshot = await taking.finally(() => this.parts.delete(taking));
    return snapshot && { ...planned, snapshot, release: () => void snapshot.spool.close() };
  }

  async switchTo(diffType: string): Promise<HeldDiff> {
    const entry = await this.entryOf(this.planned(diffType));
    const previous = this.latest;
    this.latest = Promise.resolve(entry);
    const held = hold(entry, entry.whole);
    void previous?.then(closeEntry, () => {});
    return held;
  }

  async isOutdated(): Promise<boolean> {
    const entry = await this.onTable();
    const now = await this.planned(entry.plan.diffType);
    const probe = await probeDiff(this.repository, now.git, now.plan, this.view);
    if (probe !== entry.lastLook?.probe) {
      const fresh = await this.take(now, this.view);
      await fresh.spool.close();
      entry.lastLook = { probe, isOutdated: fresh.diffId !== entry.whole.diffId };
    }
    return entry.lastLook.isOutdated;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled([this.latest?.then(closeEntry), ...this.parts]);
  }

  /** Not on creation: git would take the processor from the server, which is to be there first. */
  private onTable(): Promise<Entry> {
    this.latest ??= this.forgottenOnFailure(this.entryOf(this.firstPlan()));
    return this.latest;
  }

  private firstPlan(): Promise<Planned> {
    this.first ??= this.planned("uncommitted");
    return this.first;
  }

  /** What git could not do this time is tried again when it is next asked for. */
  private forgottenOnFailure(entry: Promise<Entry>): Promise<Entry> {
    entry.catch(() => {
      if (this.latest !== entry) return;
      this.latest = undefined;
      this.first = undefined;
    });
    return entry;
  }

  private async planned(diffType: string): Promise<Planned> {
    const git = await this.repository.git(this.closing.signal);
    const heads = await readHeads(git);
    const plan = await planDiff(diffType, { git, heads, objectFormat: this.repository.objectFormat });
    return { git, plan, gitContext: gitContextOf(heads) };
  }

  private async entryOf(planning: Promise<Planned>): Promise<Entry> {
    const planned = await planning;
    return { ...planned, whole: await this.take(planned, this.view) };
  }

  private take({ git, plan }: Planned, view: DiffView): Promise<Snapshot> {
    return takeSnapshot(this.repository, git, plan, view);
  }
}

function hold({ git, gitContext }: Entry, snapshot: Snapshot): HeldDiff {
  return { snapshot, gitContext, git, release: snapshot.spool.hold() };
}

async function closeEntry({ whole, spaceless }: Entry): Promise<void> {
  await whole.spool.close();
  await spaceless?.then((snapshot) => snapshot.spool.close()).catch(() => {});
}
