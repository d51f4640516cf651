import type { DiffSource, GitContext, ReviewedCommit, Revision, ShownCommit } from "./code-api-types.ts";
import type { ListedFile } from "./git/listed-files.ts";
import type { Snapshot } from "./git/snapshot.ts";
import type { OpenedImage } from "./images/open-image.ts";
import type { FileSizes } from "./reading-api-types.ts";

/**
 * The diff under review, of any source: a git repository, a repository of another version control system, a patch,
 * files, or a pull request.
 */
export interface DiffSession {
  readonly source: DiffSource;
  readonly repository: ReviewedFolder;
  /** Paths, relative to the root, that limit every diff; empty for all. */
  readonly paths: readonly string[];
  /**
   * Returns the current diff; the first call creates it. With `ignoreSpace`, changes that are only whitespace are left
   * out.
   */
  current(ignoreSpace?: boolean): Promise<DiffLease>;
  /**
   * Returns the current diff with all changes, to read complete files. `id` is the id of the diff on a page, which may
   * be that of the variant if the page leaves out whitespace; if it is the id of another diff, the result is undefined.
   */
  whole(id?: string, ignoreSpace?: boolean): Promise<DiffLease | undefined>;
  /**
   * Creates a diff of some files while the whole first diff is still being created. `choose` receives the
   * names of all files. Returns undefined if `choose` returns none, or if these files cannot be compared
   * separately.
   */
  part(choose: (files: readonly ListedFile[]) => readonly ListedFile[]): Promise<DiffLease | undefined>;
  /**
   * Creates a diff, makes it the current one, and calls `adopt`. If the diff cannot be created or `adopt` rejects, the
   * previous diff stays current. Switches run one after another.
   */
  switchTo(diffType: string, adopt?: Adopt): Promise<DiffLease>;
  /** Reports whether the current diff would differ if it were created now. */
  isOutdated(): Promise<boolean>;
  /** Returns the commits under review, oldest first. `commit:<sha>` is the diff type of each. */
  commits(): Promise<readonly ReviewedCommit[]>;
  /** Returns the branches, tags and commits that match a text; none if the source is not a git repository. */
  revisions(text: string): Promise<readonly Revision[]>;
  close(): Promise<void>;
}

/**
 * Prepares for a new diff. `getPrevious` leases the diff before it, which the caller releases; it resolves to undefined
 * if there is none.
 */
export type Adopt = (diff: DiffLease, getPrevious: () => Promise<DiffLease | undefined>) => Promise<void>;

export interface ReviewedFolder {
  readonly name: string;
  /** Absolute path of the folder that the paths of a diff are relative to; for a pull request, its address. */
  readonly root: string;
  /**
   * The branch, or a text that identifies the patch, files, pull request or program; undefined for a detached HEAD.
   * Part of the draft's key, because reviews can have the same root.
   */
  readonly branch: string | undefined;
}

/** A diff lease: a snapshot that stays readable until it is released. */
export interface DiffLease {
  readonly snapshot: Snapshot;
  readonly gitContext: GitContext;
  /** The commit that the diff shows, if it shows one. */
  readonly commit?: ShownCommit | undefined;
  readonly sides: DiffSides;
  release(): void;
}

/** Reads the complete files that a diff compares. */
export interface DiffSides {
  /**
   * Returns one side of a file as the snapshot has it. Throws `not_found` if the side does not exist or only
   * its hunks are known, `validation` for a binary file, or `too_large`.
   */
  read(path: string, side: "old" | "new"): Promise<Buffer>;
  /**
   * Returns the content of an object by its name; absent if there is no object store. Throws `not_found` and
   * `too_large`.
   */
  blob?(name: string, path: string): Promise<Buffer>;
  /**
   * Returns one side of an image. Throws `too_large`, `unreadable`, and `not_found` or `validation` if the side does
   * not exist or is not an image.
   */
  image(path: string, side: "old" | "new"): Promise<OpenedImage>;
  /** Returns the sizes of the diff's binary files; absent if the source does not know them. */
  sizes?(): Promise<readonly FileSizes[]>;
  /** Returns the same sides with a time limit in milliseconds for each call of a program. */
  within(limit: number): DiffSides;
}
