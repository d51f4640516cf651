import type { AgentOrigin, AskChoice, Caller, LiveState, ReviewSettings } from "./api-types.ts";

/** Types of the API between the code review server and its page. `api-types.ts` exports them with all others. */

/** GET /api/diff */
export interface DiffState {
  readonly rawPatch: string;
  readonly gitRef: string;
  readonly origin: AgentOrigin;
  readonly diffType: string;
  readonly gitContext: GitContext;
  readonly sharingEnabled: boolean;
}

export interface GitContext {
  readonly currentBranch: string;
  readonly defaultBranch: string;
  readonly diffOptions: readonly DiffOption[];
  readonly moreDiffOptions: readonly DiffOption[];
}

export interface DiffOption {
  readonly id: string;
  readonly label: string;
}

export type DiffSource = "git" | "jj" | "sapling" | "patch" | "files" | "pr";

/** A commit of the branch, patch series or pull request under review. */
export interface ReviewedCommit {
  readonly sha: string;
  /** The first line of the message. */
  readonly title: string;
  /** The message after the title, without empty lines around it. */
  readonly body: string;
  readonly author: string;
  /** ISO 8601 */
  readonly at: string;
}

/**
 * GET /api/commits: the commits under review, oldest first. The diff type of each commit is `commit:<sha>`.
 */
export interface CommitList {
  readonly commits: readonly ReviewedCommit[];
}

/** The commit that a diff shows. */
export interface ShownCommit extends ReviewedCommit {
  /** The first parent; null for a root commit, or if it is not known. */
  readonly parent: string | null;
}

/** GET /api/revisions?text=…: the branches, tags and commits to compare with. */
export interface RevisionList {
  readonly revisions: readonly Revision[];
}

export interface Revision {
  readonly kind: "branch" | "tag" | "commit";
  /** The branch or tag, or the commit's full object name. */
  readonly name: string;
  readonly sha: string;
  readonly title: string;
  readonly author: string;
  /** ISO 8601 */
  readonly at: string;
}

/** POST /api/diff/switch. A switch to the current type creates the diff again; the page refreshes this way. */
export interface DiffSwitchBody {
  readonly diffType: string;
  /** Not in the specification: `false` leaves `rawPatch` empty, for a page that fetches the patch file by file. */
  readonly patch?: boolean;
}

/** Response to POST /api/diff/switch. */
export interface DiffSwitchResponse {
  readonly rawPatch: string;
  readonly gitRef: string;
  readonly diffType: string;
}

/**
 * GET /api/diff/index: the files of the diff, with the text of only the first ones (`opening`). GET
 * /api/diff/patch?n=3 or ?n=0-49,60 returns the text: the patches in the requested order, concatenated,
 * `patchSize` bytes each. With `&id=<diffId>`, the response is 409 if the diff has changed since. With `w=1`, both
 * leave out changes that are only whitespace.
 */
export interface DiffIndex {
  readonly gitRef: string;
  readonly origin: AgentOrigin;
  readonly diffType: string;
  readonly source: DiffSource;
  readonly gitContext: GitContext;
  readonly sharingEnabled: boolean;
  /** Identifies the diff's content. */
  readonly diffId: string;
  /** Identifies this review among those of other processes; feedback that names another one is rejected. */
  readonly sessionId: string;
  /** The same for every review of this branch; the key of the draft. */
  readonly reviewId: string;
  readonly caller: Caller;
  readonly repository: { readonly name: string; readonly root: string };
  /** Paths, relative to the repository root, that limit the review; absent if there is no limit. */
  readonly paths?: readonly string[];
  /**
   * Template of a link that opens a file in an editor: `{path}` (absolute, URL-encoded except slashes) and `{line}`.
   */
  readonly editorLink: string;
  /** The commit that the diff shows, if it shows one. */
  readonly commit?: ShownCommit;
  readonly files: readonly DiffFile[];
  /** Files of the working tree or the index that this diff leaves out; absent if there are none. */
  readonly omitted?: OmittedFiles;
  /** Patches of the files that the page shows first, up to a total size; the page need not request them. */
  readonly opening: readonly OpeningPatch[];
  readonly settings: ReviewSettings;
  /** Present if `review.ask` is configured, so that the person can ask a model. */
  readonly ask?: AskChoice;
  /** Set in a live review. */
  readonly live?: LiveState;
}

/** Paths by the reason why a diff does not show them; a reason without paths is absent. */
export interface OmittedFiles {
  /**
   * Ignored files. A folder with only ignored files counts as one, as in `git status --ignored`. In a review of
   * folders: the folders that it skips, such as `node_modules`.
   */
  readonly ignored?: OmittedPaths;
  /** Tracked files that a sparse checkout leaves out. */
  readonly notCheckedOut?: OmittedPaths;
  /** Files whose staged content is neither in the commit nor on disk. */
  readonly onlyStaged?: OmittedPaths;
  /** Files of submodules and other nested repositories that differ from the commit there. */
  readonly nested?: OmittedPaths;
  /** Files and folders that could not be read, or not in time. */
  readonly unknown?: OmittedPaths;
  /** Absolute path of the folder the review was started in, if `core.worktree` names another folder. */
  readonly elsewhere?: OmittedPaths;
}

export interface OmittedPaths {
  readonly count: number;
  /** The first 20, relative to the repository root; absolute in `elsewhere`. */
  readonly paths: readonly string[];
}

export interface OpeningPatch {
  /** Same as `DiffFile.index`. */
  readonly index: number;
  readonly patch: string;
}

export interface DiffFile {
  /** Position in the diff: the `n` of /api/diff/patch?n=… */
  readonly index: number;
  /** The new path, or the old path of a deleted file. */
  readonly path: string;
  readonly oldPath?: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed";
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** Whether the name or the attribute `linguist-generated` marks the file as generated. It is then shown collapsed. */
  readonly generated: boolean;
  readonly oldMode?: string;
  readonly newMode?: string;
  /** Size of the file's patch in bytes. */
  readonly patchSize: number;
  /**
   * Hash of the added and removed lines, or of the patch's header if there are none; identifies the content that was
   * marked as viewed.
   */
  readonly fingerprint: string;
  /** Only the lines of the hunks are known; the lines between them cannot be shown. */
  readonly hunksOnly?: true;
  /** The sides that jj shows with conflict markers, because the conflict is not resolved there. */
  readonly conflict?: "old" | "new" | "both";
}

/** Member of `annotations` of POST /api/feedback, as specified. */
export interface CodeAnnotation {
  readonly id: string;
  readonly type: "comment" | "suggestion" | "concern";
  readonly filePath: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly side: "old" | "new";
  readonly text?: string;
  readonly suggestedCode?: string;
}

/** POST /api/feedback */
export interface FeedbackBody {
  readonly feedback?: string;
  readonly annotations?: readonly CodeAnnotation[];
  readonly agentSwitch?: string;
  /**
   * Not in the specification: true if `feedback` is the whole text as the person saw it. The server then adds no
   * annotations to it.
   */
  readonly complete?: boolean;
  /**
   * Not in the specification: true if no changes are requested. With --exit-code, the command then exits with 0, even
   * if there is feedback.
   */
  readonly approved?: boolean;
  /**
   * Not in the specification: the review that the person saw. If another review is open at this address, the response
   * is 412 and nothing is decided.
   */
  readonly sessionId?: string;
}

/** GET /api/diff/rounds: earlier feedback about this branch, oldest first. */
export interface DiffRounds {
  readonly rounds: readonly DiffRound[];
  /** Changes since the last round; absent before the first round. */
  readonly since?: SinceLastRound;
}

/** Changes since feedback was last sent. */
export interface SinceLastRound {
  /** The diff that the line numbers refer to. */
  readonly diffId: string;
  /**
   * Number of the last round with the same comparison and paths. Absent if feedback was sent only on other diffs,
   * whose files cannot be compared with this one.
   */
  readonly comparedWith?: number;
  /**
   * Files of this diff that were in that round and have changed since, with their newly changed lines by side, in
   * ascending order. Leaves out files whose lines that round did not store.
   */
  readonly files: readonly {
    readonly path: string;
    readonly old: readonly number[];
    readonly new: readonly number[];
  }[];
  /**
   * Current lines of the last round's annotations. An annotation is absent if its code was not stored, or if the file
   * has neither that code nor the suggested code.
   */
  readonly places: readonly AnnotationPosition[];
}

/** The current lines of an annotation. */
export interface AnnotationPosition {
  readonly id: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Set if the suggested code has replaced the annotated code. */
  readonly applied?: true;
}

export interface DiffRound {
  readonly round: number;
  /** ISO 8601 */
  readonly sentAt: string;
  readonly diffType: string;
  readonly gitRef: string;
  /** Paths, relative to the repository root, that limited the diff; empty for all. */
  readonly paths: readonly string[];
  /** The text that the agent received. */
  readonly text: string;
  readonly annotations: readonly RoundAnnotation[];
  /** The files of that diff. A file has changed since if it is not listed or now has another fingerprint. */
  readonly files: readonly { readonly path: string; readonly fingerprint: string }[];
}

export interface RoundAnnotation extends CodeAnnotation {
  /** The annotated lines at that time. */
  readonly code?: string;
}

/** GET /api/diff/image?path=…&side=old|new: the image itself; 404 if that side does not exist. */

/**
 * GET /api/file?path=…&side=old|new: the complete text of one side as the diff has it, for context lines. 404 if the
 * side does not exist or only its hunks are known, 400 for a binary file, 413 if the file is too large.
 */
export interface FileText {
  readonly path: string;
  readonly side: "old" | "new";
  readonly text: string;
}
