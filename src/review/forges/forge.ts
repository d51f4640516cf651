/** Types of a pull or merge request at a forge: GitHub, GitLab, Bitbucket Cloud or Azure DevOps. */

export type ForgeName = "github" | "gitlab" | "bitbucket" | "azure";

/** Names of forges, for people. */
export const FORGE_LABELS: Readonly<Record<ForgeName, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  bitbucket: "Bitbucket",
  azure: "Azure DevOps",
};

/** A repository at a forge. */
export interface RepositoryAddress {
  readonly forge: ForgeName;
  /** Host with its port, if it has one. */
  readonly host: string;
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
  /** The target branch, and the commit that the diff starts from. */
  readonly base: CommitRef;
  /** The source branch, and its commit. */
  readonly head: CommitRef;
  readonly reviewers: readonly Reviewer[];
}

export interface CommitRef {
  readonly ref: string;
  readonly sha: string;
}

export interface Reviewer {
  readonly name: string;
  /** What the reviewer decided, in the forge's words; absent without a decision. */
  readonly state?: string | undefined;
}

export interface Check {
  readonly name: string;
  /** `success`, `failure`, `pending`, or another state in the forge's words. */
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

/** Where a thread is. Lines are numbered from 1, both inclusive. */
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
  /** Whether its lines are not in the diff any more. */
  readonly outdated: boolean;
  /** The lines of an outdated thread, if the forge has them. */
  readonly code?: string | undefined;
  /** Undefined if the forge does not resolve such threads. */
  readonly resolved: boolean | undefined;
  readonly resolvedBy?: string | undefined;
  /** Whether the thread takes replies. */
  readonly takesMessages: boolean;
  readonly messages: readonly ForgeMessage[];
}

export interface ForgeMessage {
  readonly id: string;
  /** Login of the author. */
  readonly author: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly markdown: string;
}

export type Verdict = "approve" | "comment" | "request_changes";

/** One thing that is posted. `thread` is the id of the thread on the page. */
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

/** The lines of a changed file that the diff shows, for items of the kind `comment`. */
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
  /** Returns the changed file with a path. */
  readonly fileOf: (path: string) => ChangedFile | undefined;
}

/**
 * What the tries to post one review have recorded so far, on disk. The forge may have carried out a request whose
 * response was lost; the records tell the next try what to look for.
 */
export interface Attempt {
  get(name: string): readonly string[] | undefined;
  /** Resolves once the record is on disk. */
  record(name: string, values: readonly string[]): Promise<void>;
}

export interface PostResult {
  /** The address of what was posted, or of the request. */
  readonly url: string;
  /** Items that the forge rejected. Everything else was posted. */
  readonly rejected: readonly { readonly item: OutgoingItem; readonly reason: string }[];
}

/** One pull or merge request at its forge. Every method throws `forge_…` errors. */
export interface Forge {
  readonly address: PullAddress;
  open(): Promise<PullRequest>;
  /** Returns the commits, oldest first. */
  commits(pull: PullRequest): Promise<readonly PullCommit[]>;
  checks(pull: PullRequest): Promise<readonly Check[]>;
  threads(pull: PullRequest): Promise<readonly ForgeThread[]>;
  /** Returns the diff in git's format. */
  patch(pull: PullRequest): Promise<Buffer>;
  /** Returns the diff of one commit in git's format; absent where the forge does not offer it. */
  commitPatch?(sha: string): Promise<Buffer>;
  /** Returns a file of a commit; undefined if the commit does not have it. */
  file(path: string, sha: string): Promise<Buffer | undefined>;
  /** Posts a review. A repeated call with the same attempt posts nothing twice. */
  post(review: OutgoingReview, attempt: Attempt): Promise<PostResult>;
  /** Removes what an interrupted attempt left at the forge unpublished. Returns the items that were published. */
  settle(review: OutgoingReview, attempt: Attempt): Promise<readonly OutgoingItem[]>;
}

/** Finds the open pull request of a branch; undefined if there is none. */
export type FindByBranch = (branch: SourceBranch) => Promise<number | undefined>;

export interface SourceBranch {
  readonly name: string;
  /** Path of the repository that the branch is pushed to. */
  readonly repository: string;
}
