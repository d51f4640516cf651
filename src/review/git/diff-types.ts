import { AppError } from "../../errors.ts";
import type { DiffOption, GitContext } from "../api-types.ts";
import type { ObjectFormat } from "./intent-index.ts";
import { EMPTY_TREE, findMergeBase, findParent, type Heads, resolveCommit } from "./refs.ts";
import type { GitHandle } from "./run-git.ts";

/** One side of a diff. A tree is given by the full name of a commit or tree object. */
export type Side =
  | { readonly kind: "tree"; readonly object: string }
  | { readonly kind: "index" | "worktree" };

/** The two sides of a diff, with trees resolved to object names. */
export interface DiffPlan {
  /** The diff type as requested. */
  readonly diffType: string;
  /** The compared revisions for display, mostly as arguments of `git diff`; `index` for unstaged changes. */
  readonly gitRef: string;
  readonly from: Side;
  readonly to: Side;
  /** Object name of the commit that the diff shows, if it shows one. */
  readonly commit?: string;
}

/** Reports whether a diff includes all untracked files. Only a comparison of a tree with the working tree does. */
export function showsUntracked({ from, to }: Pick<DiffPlan, "from" | "to">): boolean {
  return to.kind === "worktree" && from.kind === "tree";
}

/** Maximum number of branches offered for comparison, most recent commit first. */
const MAX_BRANCHES = 30;
const MAX_LABEL_CHARS = 100;

interface Known {
  readonly git: GitHandle;
  readonly heads: Heads;
  readonly objectFormat: ObjectFormat;
}

/** A plan without the requested diff type. */
type Comparison = Omit<DiffPlan, "diffType">;
type Planner = (known: Known) => Promise<Comparison>;

const planners: ReadonlyMap<string, Planner> = new Map<string, Planner>([
  ["uncommitted", async (known) => ({ gitRef: "HEAD", from: head(known), to: { kind: "worktree" } })],
  ["staged", async (known) => ({ gitRef: "--staged", from: head(known), to: { kind: "index" } })],
  ["unstaged", async () => ({ gitRef: "index", from: { kind: "index" }, to: { kind: "worktree" } })],
  ["last-commit", lastCommit],
  ["branch", againstDefault],
  ["merge-base", sinceBranching],
  ["all", allWork],
]);

/**
 * Resolves a diff type to a plan. Accepts the named types, `commit:<name>`, `base:<name>`, `range:<name>..<name>` and
 * `range:<name>...<name>`; git resolves the names and never reads them as options. Throws `validation` with
 * `Unknown diffType …`.
 */
export async function planDiff(diffType: string, known: Known): Promise<DiffPlan> {
  const planner = planners.get(alias(diffType, known.heads)) ?? namedPlanner(diffType);
  return { diffType, ...(await planner(known)) };
}

/** Maps `vs main` and `vs <default>`, the specification's names, to `branch`. */
function alias(diffType: string, { defaultBranch }: Heads): string {
  const own = defaultBranch.name;
  return ["vs main", `vs ${own}`, `vs ${own.replace(/^origin\//, "")}`].includes(diffType)
    ? "branch"
    : diffType;
}

function namedPlanner(diffType: string): Planner {
  const [, from, dots, to] = /^range:([^\0]+?)(\.{2,3})([^\0.][^\0]*)$/.exec(diffType) ?? [];
  if (from && dots && to) return (known) => range(known, from, to, dots === "...");
  const [, kind, name = ""] = /^(commit|base):([^\0]+)$/.exec(diffType) ?? [];
  return async (known) => {
    const commit = kind === undefined ? undefined : await findCommit(known.git, name);
    if (commit === undefined) throw unknownType(diffType);
    return kind === "commit"
      ? oneCommit(known, commit, shorten(name))
      : fromTo(commit, head(known), `${shorten(name)}..HEAD`);
  };
}

function unknownType(diffType: string): AppError {
  return new AppError("validation", `Unknown diffType ${JSON.stringify(diffType.slice(0, 200))}`);
}

function shorten(name: string): string {
  return /^[0-9a-f]{40,}$/.test(name) ? name.slice(0, 7) : name;
}

/** Compares two revisions, or the second with the merge base of both. */
async function range(known: Known, from: string, to: string, sinceBase: boolean): Promise<Comparison> {
  const [base, target] = await Promise.all([findCommit(known.git, from), findCommit(known.git, to)]);
  const dots = sinceBase ? "..." : "..";
  if (base === undefined || target === undefined) throw unknownType(`range:${from}${dots}${to}`);
  // Histories without a common commit are compared with the empty tree.
  const start = sinceBase
    ? ((await findMergeBase(known.git, base, target)) ?? EMPTY_TREE[known.objectFormat])
    : base;
  return fromTo(start, tree(target), `${shorten(from)}${dots}${shorten(to)}`);
}

/** Resolves a name to a commit. A branch takes precedence over a tag, and a tag over any other revision. */
async function findCommit(git: GitHandle, name: string): Promise<string | undefined> {
  for (const full of [`refs/heads/${name}`, `refs/remotes/${name}`, `refs/tags/${name}`, name]) {
    const commit = await resolveCommit(git, full);
    if (commit !== undefined) return commit;
  }
  return undefined;
}

/** Returns the branch names and diff types that the page shows. The specification defines `diffOptions`. */
export function createGitContext(heads: Heads): GitContext {
  const { currentBranch, defaultBranch, branches, commits, commit } = heads;
  const bases: DiffOption[] = branches
    .filter(({ name }) => name !== currentBranch && name !== defaultBranch.name)
    .slice(0, MAX_BRANCHES)
    .map(({ name }) => ({ id: `base:${name}`, label: `vs ${name}` }));
  const offBranch =
    commit !== undefined && defaultBranch.commit !== undefined && currentBranch !== defaultBranch.name;
  return {
    currentBranch,
    defaultBranch: defaultBranch.name,
    diffOptions: [
      { id: "uncommitted", label: "Uncommitted changes" },
      { id: "last-commit", label: "Last commit" },
      { id: "branch", label: `vs ${defaultBranch.name}` },
    ],
    moreDiffOptions: [
      { id: "staged", label: "Staged changes" },
      { id: "unstaged", label: "Unstaged changes" },
      ...(offBranch
        ? [
            { id: "merge-base", label: `Commits since ${defaultBranch.name}` },
            { id: "all", label: `All work since ${defaultBranch.name}, uncommitted included` },
          ]
        : []),
      ...bases,
      ...commits.map(({ object, subject }) => ({
        id: `commit:${object}`,
        label: `${object.slice(0, 7)} ${subject}`.slice(0, MAX_LABEL_CHARS),
      })),
    ],
  };
}

function tree(object: string): Side {
  return { kind: "tree", object };
}

function head({ heads, objectFormat }: Known): Side {
  return tree(heads.commit ?? EMPTY_TREE[objectFormat]);
}

function fromTo(from: string, to: Side, gitRef: string): Comparison {
  return { gitRef, from: tree(from), to };
}

async function lastCommit(known: Known): Promise<Comparison> {
  const { commit } = known.heads;
  if (commit === undefined) return fromTo(EMPTY_TREE[known.objectFormat], head(known), "HEAD");
  return oneCommit(known, commit, "HEAD");
}

async function oneCommit({ git, objectFormat }: Known, commit: string, name: string): Promise<Comparison> {
  const parent = await findParent(git, commit);
  const gitRef = parent === undefined ? name : `${name}~1..${name}`;
  return { ...fromTo(parent ?? EMPTY_TREE[objectFormat], tree(commit), gitRef), commit };
}

async function againstDefault(known: Known): Promise<Comparison> {
  const { name, commit } = known.heads.defaultBranch;
  return fromTo(commit ?? EMPTY_TREE[known.objectFormat], head(known), `${name}..HEAD`);
}

async function sinceBranching(known: Known): Promise<Comparison> {
  return fromTo(await branchPoint(known), head(known), `${known.heads.defaultBranch.name}...HEAD`);
}

async function allWork(known: Known): Promise<Comparison> {
  return fromTo(await branchPoint(known), { kind: "worktree" }, `${known.heads.defaultBranch.name}...`);
}

async function branchPoint({ git, heads, objectFormat }: Known): Promise<string> {
  const base = heads.defaultBranch.commit;
  if (heads.commit === undefined || base === undefined) return EMPTY_TREE[objectFormat];
  // Histories without a common commit are compared with the empty tree.
  return (await findMergeBase(git, base, heads.commit)) ?? EMPTY_TREE[objectFormat];
}
