import type { AgentOrigin, Caller, ReviewSettings } from "./api-types.ts";

/** What the code review server and its page say to each other; the rest is in `api-types.ts`. Types only. */

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

/** POST /api/diff/switch. Also takes the diff anew: switching to the current type is how a page refreshes. */
export interface DiffSwitchBody {
  readonly diffType: string;
  /** Ours: `false` leaves `rawPatch` empty, for a page that fetches file by file. */
  readonly patch?: boolean;
}

/** Answer to POST /api/diff/switch */
export interface DiffSwitchAnswer {
  readonly rawPatch: string;
  readonly gitRef: string;
  readonly diffType: string;
}

/**
 * GET /api/diff/index: the diff without its text, for the page. The text follows file by file from
 * GET /api/diff/patch?n=3 or ?n=0-49,60: the patches in the order asked for, nothing between them, `patchSize` bytes
 * each. `&id=<diffId>` makes it 409 when the diff has been taken anew meanwhile. With `w=1` both leave out changes of
 * white space alone.
 */
export interface DiffIndex {
  readonly gitRef: string;
  readonly origin: AgentOrigin;
  readonly diffType: string;
  readonly gitContext: GitContext;
  readonly sharingEnabled: boolean;
  /** Identifies the diff's content. */
  readonly diffId: string;
  /** Identifies this review among those of other processes: feedback that names another is refused. */
  readonly sessionId: string;
  /** The same for every review of this branch: the key of its draft. */
  readonly reviewId: string;
  readonly caller: Caller;
  readonly repository: { readonly name: string; readonly root: string };
  /** What the person limited the review to, from the repository's top; absent where it is all of it. */
  readonly paths?: readonly string[];
  /** Opens a file in the person's editor once `{path}` (absolute, URL-encoded, slashes kept) and `{line}` are put in. */
  readonly editorLink: string;
  readonly files: readonly DiffFile[];
  /** What the working tree or the index has and this diff does not show; absent where that is nothing. */
  readonly omitted?: OmittedFiles;
  /** Patches of files the page shows first, as far as they are small: it need not ask for them. */
  readonly opening: readonly OpeningPatch[];
  readonly settings: ReviewSettings;
}

/** Paths by the reason why a diff does not show them; absent where there are none. */
export interface OmittedFiles {
  /** Ignored files. A folder of nothing else counts as one, as in `git status --ignored`. */
  readonly ignored?: OmittedPaths;
  /** Tracked files that a sparse checkout leaves out. */
  readonly notCheckedOut?: OmittedPaths;
  /** Files whose staged content is neither in the commit nor on disk. */
  readonly onlyStaged?: OmittedPaths;
  /** Files of submodules, and of other repositories within this one, that differ from the commit there. */
  readonly nested?: OmittedPaths;
  /** Folders that could not be looked at, or not in time. */
  readonly unknown?: OmittedPaths;
  /** The folder the review was started in (absolute), where the repository's `core.worktree` names another one. */
  readonly elsewhere?: OmittedPaths;
}

export interface OmittedPaths {
  readonly count: number;
  /** The first 20, from the repository's top. */
  readonly paths: readonly string[];
}

export interface OpeningPatch {
  /** As in `DiffFile.index`. */
  readonly index: number;
  readonly patch: string;
}

export interface DiffFile {
  /** Position in the diff; the `n` of /api/diff/patch?n=… */
  readonly index: number;
  /** New path, or the old one of a deleted file. */
  readonly path: string;
  readonly oldPath?: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "copied" | "type-changed";
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** By name or by `linguist-generated`: shown folded. */
  readonly generated: boolean;
  readonly oldMode?: string;
  readonly newMode?: string;
  /** Bytes of the file's patch. */
  readonly patchSize: number;
  /** Of the added and removed lines alone: what a viewed mark is keyed by. */
  readonly fingerprint: string;
}

/** Member of `annotations` of POST /api/feedback, as the specification has it. */
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
  /** Ours: `feedback` is the whole text as the person saw it; the agent gets it as it stands, nothing is added. */
  readonly complete?: boolean;
  /** Ours: nothing has to change. With --exit-code the command then ends with 0, whatever else was said. */
  readonly approved?: boolean;
  /** Ours: the review that was seen. Where it is no longer the one at this address, nothing is decided (412). */
  readonly sessionId?: string;
}

/** GET /api/diff/rounds: what was sent before about this branch, oldest first. */
export interface DiffRounds {
  readonly rounds: readonly DiffRound[];
  /** The diff on the table beside the last round; absent before the first. */
  readonly since?: SinceLastRound;
}

/** What has changed since feedback was last sent. */
export interface SinceLastRound {
  /** The diff the numbers are of. */
  readonly diffId: string;
  /**
   * The number of the last round on this very diff (same comparison, same paths); absent where feedback was sent on other
   * diffs only, since their files tell nothing about this one.
   */
  readonly comparedWith?: number;
  /** Files that were in the diff then and differ now: their changed lines that are new, by side, ascending. */
  readonly files: readonly {
    readonly path: string;
    readonly old: readonly number[];
    readonly new: readonly number[];
  }[];
  /** Where the lines of the last round's notes are now; one whose lines have changed or gone is not among them. */
  readonly places: readonly AnnotationPosition[];
}

/** Where the lines of an annotation are now, by its id. */
export interface AnnotationPosition {
  readonly id: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** The suggested code stands there instead of the code it was about. */
  readonly applied?: true;
}

export interface DiffRound {
  readonly round: number;
  /** ISO 8601 */
  readonly sentAt: string;
  readonly diffType: string;
  readonly gitRef: string;
  /** What the diff was limited to, from the repository's top; none means all of it. */
  readonly paths: readonly string[];
  /** As the agent read it. */
  readonly text: string;
  readonly annotations: readonly RoundAnnotation[];
  /** The files of the diff then: one whose fingerprint is another now, or that is not here, has changed since. */
  readonly files: readonly { readonly path: string; readonly fingerprint: string }[];
}

export interface RoundAnnotation extends CodeAnnotation {
  /** The lines it was about, as they were. */
  readonly code?: string;
}

/** GET /api/diff/image?path=…&side=old|new answers with the image itself; 404 where that side does not exist. */

/**
 * GET /api/file?path=…&side=old|new: the whole text of one side as the diff saw it, for context lines. 404 where the
 * side does not exist, 400 for a binary.
 */
export interface FileText {
  readonly path: string;
  readonly side: "old" | "new";
  readonly text: string;
}
