import { setMaxListeners } from "node:events";
import type { GitContext, ReviewedCommit, Revision, ShownCommit } from "../api-types.ts";
import { CurrentEntry, type DiffEntry } from "../current-entry.ts";
import type { Adopt, DiffLease, DiffSession, DiffSides } from "../diff-session.ts";
import { findRevisions, readBranchCommits, readCommit } from "./commits.ts";
import type { DiffView } from "./diff-arguments.ts";
import { createGitContext, type DiffPlan, planDiff } from "./diff-types.ts";
import { readImageSide } from "./file-image.ts";
import { readSizes } from "./file-sizes.ts";
import { readBlob, readSide } from "./file-text.ts";
import { probeDiff } from "./probe.ts";
import { readHeads } from "./refs.ts";
import type { Repository } from "./repository.ts";
import type { GitHandle } from "./run-git.ts";
import { type GitSnapshot, takeSnapshot } from "./snapshot.ts";
import { type PartOptions, takePart } from "./take-part.ts";

type Planned = Pick<Entry, "git" | "plan" | "gitContext">;

interface Entry extends DiffEntry<GitSnapshot> {
  readonly git: GitHandle;
  readonly plan: DiffPlan;
  readonly gitContext: GitContext;
  readonly commit: ShownCommit | undefined;
  /** Result of the last check, and the probe for which it holds. */
  lastLook?: { readonly probe: string; readonly isOutdated: boolean };
}

/**
 * Creates the diff session of a review. `paths`, relative to the repository root, limit every diff; empty for all.
 */
export function createDiffSession(repository: Repository, paths: readonly string[] = []): DiffSession {
  return new GitDiffSession(repository, paths);
}

class GitDiffSession implements DiffSession {
  readonly source = "git";
  readonly repository: Repository;
  readonly paths: readonly string[];
  private readonly view: DiffView;
  private readonly closing = new AbortController();
  private readonly parts = new Set<Promise<unknown>>();
  private first: Promise<Planned> | undefined;
  private readonly entry: CurrentEntry<GitSnapshot, Entry>;

  constructor(repository: Repository, paths: readonly string[]) {
    this.repository = repository;
    this.paths = paths;
    this.view = { ignoreSpace: false, paths };
    this.entry = new CurrentEntry({
      create: () => this.takeFirst(),
      createSpaceless: (entry) => this.take(entry, { ...this.view, ignoreSpace: true }),
      lease: createLease,
    });
    // Every running git process adds a listener, and many can run concurrently.
    setMaxListeners(0, this.closing.signal);
  }

  current(ignoreSpace?: boolean): Promise<DiffLease> {
    return this.entry.current(ignoreSpace);
  }

  whole(id?: string, ignoreSpace = false): Promise<DiffLease | undefined> {
    return this.entry.whole(id, ignoreSpace);
  }

  async part(choose: PartOptions["choose"]): Promise<DiffLease | undefined> {
    const planned = await this.firstPlan();
    const taking = takePart(this.repository, planned.git, planned.plan, { view: this.view, choose });
    this.parts.add(taking);
    const snapshot = await taking.finally(() => this.parts.delete(taking));
    if (!snapshot) return undefined;
    const sides = createSides(planned.git, snapshot);
    return { gitContext: planned.gitContext, snapshot, sides, release: () => void snapshot.spool.close() };
  }

  switchTo(diffType: string, adopt?: Adopt): Promise<DiffLease> {
    return this.entry.replace(() => this.takeEntry(this.planned(diffType)), adopt);
  }

  async isOutdated(): Promise<boolean> {
    const entry = await this.entry.get();
    const now = await this.planned(entry.plan.diffType);
    const probe = await probeDiff(this.repository, now.git, now.plan, this.view);
    if (probe !== entry.lastLook?.probe) {
      const fresh = await this.take(now, this.view);
      await fresh.spool.close();
      entry.lastLook = { probe, isOutdated: fresh.diffId !== entry.whole.diffId };
    }
    return entry.lastLook.isOutdated;
  }

  async commits(): Promise<readonly ReviewedCommit[]> {
    const git = await this.repository.git(this.closing.signal);
    return readBranchCommits(git, await readHeads(git));
  }

  async revisions(text: string): Promise<readonly Revision[]> {
    return findRevisions(await this.repository.git(this.closing.signal), text);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled([this.entry.close(), ...this.parts]);
  }

  /**
   * Creates the first diff on first use rather than with the session: git would compete with the server's
   * start for the CPU.
   */
  private async takeFirst(): Promise<Entry> {
    try {
      return await this.takeEntry(this.firstPlan());
    } catch (error) {
      this.first = undefined;
      throw error;
    }
  }

  private firstPlan(): Promise<Planned> {
    this.first ??= this.planned("uncommitted");
    return this.first;
  }

  private async planned(diffType: string): Promise<Planned> {
    const git = await this.repository.git(this.closing.signal);
    const heads = await readHeads(git);
    const plan = await planDiff(diffType, { git, heads, objectFormat: this.repository.objectFormat });
    return { git, plan, gitContext: createGitContext(heads) };
  }

  private async takeEntry(planning: Promise<Planned>): Promise<Entry> {
    const planned = await planning;
    const { git, plan } = planned;
    const taking = this.take(planned, this.view);
    try {
      const reading = plan.commit === undefined ? undefined : readCommit(git, plan.commit);
      const [whole, commit] = await Promise.all([taking, reading]);
      return { ...planned, whole, commit };
    } catch (error) {
      await taking.then(({ spool }) => spool.close()).catch(() => {});
      throw error;
    }
  }

  private take({ git, plan }: Planned, view: DiffView): Promise<GitSnapshot> {
    // Parts come first, because a page waits for them.
    const whenFree = () => Promise.allSettled(this.parts);
    return takeSnapshot({ repository: this.repository, git, plan, view, whenFree });
  }
}

function createLease({ git, gitContext, commit }: Entry, snapshot: GitSnapshot): DiffLease {
  return { snapshot, gitContext, commit, sides: createSides(git, snapshot), release: snapshot.spool.hold() };
}

function createSides(git: GitHandle, snapshot: GitSnapshot): DiffSides {
  return {
    read: (path, side) => readSide(git, snapshot, path, side),
    blob: (name, path) => readBlob(git, name, path),
    image: (path, side) => readImageSide(git, snapshot, path, side),
    sizes: () => readSizes(git, snapshot),
    within: (limit) => createSides({ ...git, limit }, snapshot),
  };
}
