import { AppError } from "../../errors.ts";
import type { DiffSource, GitContext, OmittedFiles, ReviewedCommit, Revision } from "../api-types.ts";
import { CurrentEntry, closeEntry, type DiffEntry } from "../current-entry.ts";
import type { Adopt, DiffLease, DiffSession, DiffSides, ReviewedFolder } from "../diff-session.ts";
import { findFile, hasSide, readPatch } from "../git/file-text.ts";
import { readSectionHeader, type SectionHeader } from "../git/section-header.ts";
import type { Snapshot, SnapshotFile } from "../git/snapshot.ts";
import type { OpenedImage } from "../images/open-image.ts";
import { completeSides } from "./complete-sides.ts";
import { snapshotOfPatches } from "./patch-snapshot.ts";
import type { FilePatch } from "./read-patch-series.ts";
import { withoutSpaceChanges } from "./space-changes.ts";

/** The source of a session's patches: a patch file, stdin, files on disk, a forge, or another program. */
export interface PatchOrigin {
  readonly source: Exclude<DiffSource, "git">;
  readonly repository: ReviewedFolder;
  /** Paths, relative to the root, that limit the diff; empty for all. */
  readonly paths: readonly string[];
  /**
   * Creates a diff, by default the one of the first diff type. Throws `validation` for an unknown diff type.
   */
  take(diffType: string | undefined, signal: AbortSignal): Promise<TakenPatches>;
  /** Returns a value that changes if the diff may have changed. Without this method, the whole diff is compared. */
  probe?(): Promise<string>;
  /** Returns the paths of the files of which `text` may return a complete side. */
  completable(files: readonly SectionHeader[]): Promise<ReadonlySet<string>>;
  /** Returns one complete side of a file, or undefined. `limit` is the maximum time of a program in milliseconds. */
  text(file: SnapshotFile, limit?: number): Promise<KnownText | undefined>;
  /** Returns one side of an image, or undefined. */
  image(file: SnapshotFile, side: "old" | "new"): Promise<OpenedImage | undefined>;
}

export interface TakenPatches {
  readonly diffType: string;
  /** The comparison for display: revisions, files, the title of a commit, or a command. */
  readonly gitRef: string;
  readonly gitContext: GitContext;
  readonly commits: readonly ReviewedCommit[];
  readonly patches: readonly FilePatch[];
  /** The files that the diff leaves out; absent if there are none. */
  readonly omitted?: OmittedFiles | undefined;
  /** Called when this diff becomes the current one. A diff that is only compared with the current one never does. */
  readonly onCurrent?: () => void;
}

export interface KnownText {
  readonly side: "old" | "new";
  readonly text: Buffer;
}

/** Creates the diff session of patches from an origin other than git. */
export function createPatchSession(origin: PatchOrigin): DiffSession {
  return new PatchSession(origin);
}

interface Entry extends DiffEntry<Snapshot> {
  readonly taken: TakenPatches;
  /** The last value of the origin's probe with which the diff was the same. */
  probe: string | undefined;
}

class PatchSession implements DiffSession {
  readonly source: DiffSource;
  readonly repository: ReviewedFolder;
  readonly paths: readonly string[];
  private readonly origin: PatchOrigin;
  private readonly closing = new AbortController();
  private readonly entry: CurrentEntry<Snapshot, Entry>;

  constructor(origin: PatchOrigin) {
    this.origin = origin;
    this.source = origin.source;
    this.repository = origin.repository;
    this.paths = origin.paths;
    this.entry = new CurrentEntry({
      create: () => this.takeEntry(undefined),
      createSpaceless: (entry) => this.takeSpaceless(entry),
      lease: (entry, snapshot) => this.lease(entry, snapshot),
      onCurrent: ({ taken }) => taken.onCurrent?.(),
    });
  }

  current(ignoreSpace?: boolean): Promise<DiffLease> {
    return this.entry.current(ignoreSpace);
  }

  whole(id?: string, ignoreSpace = false): Promise<DiffLease | undefined> {
    return this.entry.whole(id, ignoreSpace);
  }

  /** Returns undefined, because a patch is read as a whole. */
  async part(): Promise<undefined> {
    return undefined;
  }

  switchTo(diffType: string, adopt?: Adopt): Promise<DiffLease> {
    return this.entry.replace(() => this.takeEntry(diffType), adopt);
  }

  async isOutdated(): Promise<boolean> {
    const entry = await this.entry.get();
    const { whole, taken, probe } = entry;
    if (probe !== undefined && (await this.origin.probe?.()) === probe) return false;
    const fresh = await this.takeEntry(taken.diffType);
    await closeEntry(fresh);
    if (fresh.whole.diffId !== whole.diffId) return true;
    entry.probe = fresh.probe;
    return false;
  }

  async commits(): Promise<readonly ReviewedCommit[]> {
    return (await this.entry.get()).taken.commits;
  }

  async revisions(): Promise<readonly Revision[]> {
    return [];
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.entry.close();
  }

  private async takeSpaceless({ taken }: Entry): Promise<Snapshot> {
    const patches = taken.patches.map((patch) => ({ ...patch, bytes: withoutSpaceChanges(patch.bytes) }));
    return this.store(taken, patches);
  }

  private async takeEntry(diffType: string | undefined): Promise<Entry> {
    const probe = await this.origin.probe?.();
    const taken = await this.origin.take(diffType, this.closing.signal);
    const { paths } = this;
    const patches = taken.patches.filter(
      ({ path }) =>
        paths.length === 0 ||
        paths.some((each) => each === "." || path === each || path.startsWith(`${each}/`)),
    );
    const limited = { ...taken, patches };
    return { taken: limited, whole: await this.store(limited, patches), probe };
  }

  private async store(
    { diffType, gitRef, omitted }: Pick<TakenPatches, "diffType" | "gitRef" | "omitted">,
    patches: readonly FilePatch[],
  ): Promise<Snapshot> {
    const known = await this.origin.completable(patches.map(({ bytes }) => headerOf(bytes)));
    const isCut = (file: SnapshotFile) => isPartial(file) && !known.has(file.path);
    const snapshot = await snapshotOfPatches({ diffType, gitRef }, patches, isCut);
    return omitted ? { ...snapshot, omitted } : snapshot;
  }

  private lease({ taken }: Entry, snapshot: Snapshot): DiffLease {
    const { gitContext, commits, diffType } = taken;
    const shown = commits.find(({ sha }) => diffType === `commit:${sha}`);
    const commit = shown && { ...shown, parent: null };
    const sides = createSides(this.origin, snapshot);
    return { snapshot, gitContext, commit, sides, release: snapshot.spool.hold() };
  }
}

/** Parses the header of a file's patch, up to its first hunk. */
function headerOf(bytes: Buffer): SectionHeader {
  const end = bytes.indexOf("\n@@ ");
  return readSectionHeader(bytes.subarray(0, end < 0 ? undefined : end).toString());
}

/** Reports whether a patch has only parts of the file. The patch of an added or deleted file contains all of it. */
function isPartial(file: SnapshotFile): boolean {
  return hasSide(file, "old") && hasSide(file, "new");
}

function createSides(origin: PatchOrigin, snapshot: Snapshot, limit?: number): DiffSides {
  return {
    async read(path, side) {
      const file = findFile(snapshot, path, side);
      if (!file || !hasSide(file, side)) throw new AppError("not_found", `${path} is not in this diff`);
      if (file.binary) throw new AppError("validation", `${path} is binary`);
      const patch = await readPatch(snapshot, file);
      const known = await knownText(origin, file, limit);
      const sides = known && completeSides(patch, known.side, known.text);
      if (sides) return sides[side];
      throw new AppError("not_found", `Only the changed parts of ${path} are in this diff`);
    },
    async image(path, side) {
      const file = findFile(snapshot, path, side);
      const image = file && hasSide(file, side) ? await origin.image(file, side) : undefined;
      if (!image) throw new AppError("not_found", "File not found");
      return image;
    },
    within: (milliseconds) => createSides(origin, snapshot, milliseconds),
  };
}

async function knownText(
  origin: PatchOrigin,
  file: SnapshotFile,
  limit?: number,
): Promise<KnownText | undefined> {
  const nothing = Buffer.alloc(0);
  if (!hasSide(file, "old")) return { side: "old", text: nothing };
  if (!hasSide(file, "new")) return { side: "new", text: nothing };
  return origin.text(file, limit);
}
