/** Types of a pull or merge request at a forge: GitHub, GitLab, Bitbucket Cloud or Azure DevOps. */

export type ForgeName = "github" | "gitlab" | "bitbucket" | "azure";

/** Display names of the forges. */
export const FORGE_LABELS: Readonly<Record<ForgeName, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  bitbucket: "Bitbucket",
  azure: "Azure DevOps",
};

/** Reports whether a host is a subdomain of ghe.com: GitHub Enterprise Cloud with data residency. */
export function isEnterpriseCloud(host: string): boolean {
  return host.endsWith(".ghe.com");
}

/** A repository at a forge. */
export interface RepositoryAddress {
  readonly forge: ForgeName;
  /** Host with its port, if it has one. */
  readonly host: string;
  /** Path of a GitLab server that is not at the root of its host, for example `/gitlab`. */
  readonly basePath?: string;
  /** Path of the repository, for example `octo/castle`. */
  readonly repository: string;
}

/** A pull or merge request at a forge. */
export interface PullAddress extends RepositoryAddress {
  readonly number: number;
}

export interface PullRequest {
  readonly number: number;
  /** The address of its page. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly author: string;
  readonly state: "open" | "draft" | "merged" | "closed";
  /** Undefined for a merged or closed request, and if the forge does not report it. */
  readonly mergeability?: Mergeability | undefined;
  /** The target branch, and the commit that the diff starts from. */
  readonly base: CommitRef;
  /** The source branch, and its commit. */
  readonly head: CommitRef;
  readonly reviewers: readonly Reviewer[];
  /** Messages for the person about lists that the forge does not return completely; absent if there are none. */
  readonly incomplete?: readonly string[] | undefined;
}

/** Whether the source branch merges without conflicts; `computing` until the forge has tried it. */
export type Mergeability = "clean" | "conflicts" | "computing";

export interface CommitRef {
  readonly ref: string;
  readonly sha: string;
}

export interface Reviewer {
  readonly name: string;
  /** The reviewer's decision as the forge names it; absent without a decision. */
  readonly state?: string | undefined;
}

export interface Check {
  readonly name: string;
  /** `success`, `failure`, `pending`, `cancelled`, `skipped`, or another state as the forge names it. */
  readonly state: string;
  readonly url?: string | undefined;
}

export interface PullCommit {
  readonly sha: string;
  /** The first line of the message. */
  readonly title: string;
  /** The message after the title. */
  readonly body: string;
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
}

export type Side = "old" | "new";

/** The position of a thread. Line numbers start at 1, and both ends are inclusive. */
export type ForgeAnchor =
  | {
      readonly kind: "lines";
      readonly path: string;
      readonly side: Side;
      readonly lineStart: number;
      readonly lineEnd: number;
    }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "review" };

export interface ForgeThread {
  /** The forge's id of the thread. */
  readonly id: string;
  readonly anchor: ForgeAnchor;
  /** The old number of the last line, if it is unchanged and the forge returns both of its numbers. */
  readonly oldLineEnd?: number | undefined;
  /** Whether the forge reports that the diff no longer contains its lines. */
  readonly outdated: boolean;
  /** The lines to which the first message referred, if the forge returns them. Shown for an outdated thread. */
  readonly code?: string | undefined;
  /** Undefined if the forge cannot resolve a thread of this kind. */
  readonly resolved: boolean | undefined;
  readonly resolvedBy?: string | undefined;
  /** Whether the thread accepts replies. */
  readonly takesMessages: boolean;
  readonly messages: readonly ForgeMessage[];
}

export interface ForgeMessage {
  readonly id: string;
  /** Login of the author, or the display name if there is no login. */
  readonly author: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly markdown: string;
}

export type Verdict = "approve" | "comment" | "request_changes";

/** One item of a review. `thread` is the id of the thread on the page, `remote` its id at the forge. */
export type OutgoingItem =
  | {
      readonly kind: "comment";
      readonly thread: string;
      readonly path: string;
      readonly side: Side;
      readonly lineStart: number;
      readonly lineEnd: number;
      readonly body: string;
    }
  | { readonly kind: "file"; readonly thread: string; readonly path: string; readonly body: string }
  | { readonly kind: "general"; readonly thread: string; readonly body: string }
  | { readonly kind: "reply"; readonly thread: string; readonly remote: string; readonly body: string }
  | { readonly kind: "resolve" | "reopen"; readonly thread: string; readonly remote: string }
  | { readonly kind: "verdict"; readonly verdict: Verdict; readonly body: string };

/** An item that contains text. */
export type OutgoingText = Extract<OutgoingItem, { kind: "comment" | "file" | "general" | "reply" }>;

/** A changed file, whose patch gives the positions of comments on lines. */
export interface ChangedFile {
  readonly path: string;
  readonly oldPath: string;
  /** The file's patch. */
  readonly patch: string;
}

/** A review to post. */
export interface OutgoingReview {
  readonly pull: PullRequest;
  readonly verdict: Verdict;
  readonly items: readonly OutgoingItem[];
  /** Returns the changed file with a path, or undefined. */
  readonly fileOf: (path: string) => ChangedFile | undefined;
}

/**
 * The records of all attempts to post one review, on disk. The forge may have carried out a request whose
 * response was lost; the next attempt uses the records to find its result.
 */
export interface Attempt {
  get(name: string): readonly string[] | undefined;
  /** Stores a record. Resolves once it is on disk. */
  record(name: string, values: readonly string[]): Promise<void>;
}

export interface PostResult {
  /** The address of the posted review, or of the pull request if the review has no address. */
  readonly url: string;
  /** Items that the forge rejected. All others were posted. */
  readonly rejected: readonly RejectedItem[];
}

export interface RejectedItem {
  readonly item: OutgoingItem;
  readonly reason: string;
  /** Whether only the verdict was rejected, and its text was posted. */
  readonly isTextPosted?: boolean;
}

/** One pull or merge request at its forge. The methods throw `forge_…` errors and `too_large`. */
export interface Forge {
  readonly address: PullAddress;
  open(): Promise<PullRequest>;
  /** Returns the commits, oldest first. */
  commits(pull: PullRequest): Promise<readonly PullCommit[]>;
  checks(pull: PullRequest): Promise<readonly Check[]>;
  threads(pull: PullRequest): Promise<readonly ForgeThread[]>;
  /** Returns the diff in git's format. */
  patch(pull: PullRequest): Promise<Buffer>;
  /** Returns the diff of one commit in git's format. */
  commitPatch(sha: string): Promise<Buffer>;
  /** Returns a file of a commit; undefined if the commit does not have it. */
  file(path: string, sha: string): Promise<Buffer | undefined>;
  /** Posts a review. A repeated call with the same attempt posts nothing twice. */
  post(review: OutgoingReview, attempt: Attempt): Promise<PostResult>;
  /**
   * Removes the unpublished items of an interrupted attempt from the forge. Returns the published items. These never
   * include resolved and reopened threads nor, except at GitHub, a verdict without a text: such items can be posted
   * again without an effect.
   */
  settle(review: OutgoingReview, attempt: Attempt): Promise<readonly OutgoingItem[]>;
}

/**
 * Finds the open pull request of a branch; undefined if there is none. Branches of several forks can have the same
 * name, so the source repository is compared as well.
 */
export type FindByBranch = (branch: SourceBranch) => Promise<number | undefined>;

export interface SourceBranch {
  readonly name: string;
  /** Path of the repository that the branch is pushed to. */
  readonly repository: string;
}
