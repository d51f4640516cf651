import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import type { DiffSession } from "../../review/diff-session.ts";
import { openRepository, type Repository } from "../../review/git/repository.ts";
import { isWithin } from "../../review/is-within.ts";
import { findOtherRepository } from "../../review/patch/find-vcs.ts";
import { getOriginName } from "../../review/plan/generic-channel.ts";
import type { Output } from "../output.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { parseTimeLimit, type ReviewOptions } from "./options.ts";
import type { LiveFlags } from "./program.ts";
import type { Review } from "./run.ts";

export interface ReviewCodeFlags extends LiveFlags {
  readonly repo?: string;
  readonly sarif?: string;
  readonly reuse?: boolean;
  /** A file with a unified diff, or `-`. */
  readonly patch?: string;
}

/** The lookup of a folder's repository, which git runs in the background. */
interface AskedFolder {
  /**
   * Absolute path with links resolved. Git reports the repository's root in the same form, so the two can be
   * compared.
   */
  readonly directory: string;
  readonly repository: Promise<Repository>;
  /** Aborts the lookup. */
  readonly giveUp: AbortController;
}

/** Runs `sallyport review code [PATH...]`. Resolves to the exit code. */
export async function reviewCode(
  paths: readonly string[],
  flags: ReviewCodeFlags,
  output: Output,
): Promise<number> {
  const directory = toRealPath(resolve(flags.repo ?? "."));
  if (flags.patch !== undefined || findOtherRepository(directory)) {
    const { reviewPatches } = await import("./patch-sources.ts");
    return reviewPatches(directory, paths, flags, output);
  }
  // Git runs while the modules below load. Both take about the same time.
  const asked = askGit(directory);
  await nextTurn();
  const { runReview } = await import("./run.ts");
  const prepare = (lifecycle: Lifecycle) => prepareReview(asked, paths, flags, lifecycle);
  return runReview(prepare, output, flags.detached);
}

function askGit(directory: string): AskedFolder {
  const giveUp = new AbortController();
  const repository = openRepository(directory, processEnvironment, giveUp.signal);
  // `repositoryInTime` reports this error, after errors in the flags.
  repository.catch(() => {});
  return { directory, repository, giveUp };
}

/** Returns the repository. Rejects if there is none, or if the command has to end before git has found it. */
async function repositoryInTime(
  { repository, giveUp }: AskedFolder,
  flags: LiveFlags,
  { signal, stopAfter }: Lifecycle,
): Promise<Repository> {
  const onAbort = () => giveUp.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  stopAfter(parseTimeLimit(flags));
  try {
    return await repository;
  } finally {
    signal.removeEventListener("abort", onAbort);
    stopAfter(undefined);
  }
}

async function prepareReview(
  asked: AskedFolder,
  paths: readonly string[],
  flags: ReviewCodeFlags,
  lifecycle: Lifecycle,
): Promise<Review> {
  const { directory } = asked;
  const { resolveLiveOptions, resolveOptions } = await import("./options.ts");
  const live = resolveLiveOptions(flags);
  const resolved = await resolveOptions(flags, directory);
  const repository = await repositoryInTime(asked, flags, lifecycle);
  const toInner = (path: string) => pathWithin(repository.root, directory, path);
  const given = paths.map((path) => ({ given: path, inner: toInner(path) }));
  if (given.length > 0) {
    const { expectPaths } = await import("./expect-paths.ts");
    await expectPaths(repository, given, toInner, lifecycle.signal);
  }
  const inner = given.map((path) => path.inner);
  const options = { ...resolved, project: repository.root };
  return codeReviewOf({
    flags,
    options,
    directory,
    name: repository.name,
    isPartial: inner.length > 0,
    draftSubject: "branch",
    live: live && { ...live, subject: ["code", repository.root, ...inner] },
    openDiffs: async () => {
      const { createDiffSession } = await import("../../review/git/diff-session.ts");
      return createDiffSession(repository, inner);
    },
  });
}

/** The parts that the reviews of all sources of a diff share. */
interface CodeReviewParts {
  readonly flags: LiveFlags & { readonly sarif?: string };
  readonly options: ReviewOptions;
  /** The folder for which the command was started. */
  readonly directory: string;
  /** Name of the reviewed repository, patch or folder, for titles. */
  readonly name: string;
  readonly mode?: Review["listedAs"];
  readonly isPartial?: Review["isPartial"];
  readonly draftSubject: Review["draftSubject"];
  readonly live: Review["live"];
  readonly openDiffs: () => Promise<DiffSession>;
}

/** Returns the review of a diff from any source. */
export async function codeReviewOf(parts: CodeReviewParts): Promise<Review> {
  const { flags, options, directory, name, mode, isPartial, live, openDiffs } = parts;
  const { origin = "origin_b" } = options;
  return {
    options,
    kind: "code",
    listedAs: mode,
    isPartial,
    draftSubject: parts.draftSubject,
    title: `Review of ${name}`,
    origin,
    caller: {
      name: flags.agent ?? (options.origin === undefined ? "the command line" : getOriginName(origin)),
      cwd: directory,
      project: name,
      approvalNote: "feedback",
      takesEditedPlan: false,
      takesPermissionMode: false,
      takesAgentSwitch: origin === "origin_b",
    },
    sharingEnabled: options.environment.sharing,
    findings: flags.sarif === undefined ? undefined : await findingsIn(flags.sarif),
    live,
    loadMode: async () => {
      const [diffs, { createCodeReviewMode }] = await Promise.all([openDiffs(), import("./code-mode.ts")]);
      return createCodeReviewMode(diffs, options);
    },
  };
}

async function findingsIn(path: string): Promise<NonNullable<Review["findings"]>> {
  const { readSarif } = await import("./live/add-sarif.ts");
  return readSarif(path);
}

/**
 * Returns a path that the person gave, relative to the repository's root. Throws `usage` if the path is
 * outside of the repository.
 */
export function pathWithin(root: string, directory: string, path: string): string {
  const given = resolve(directory, path);
  // Git reports the root with links resolved, so the parent folder is resolved too. The last component is not,
  // because the path can be a link that is itself in the repository.
  const folder = toRealPath(dirname(given));
  const inside = [given, join(folder, basename(given))].find((each) => isWithin(root, each));
  if (inside === undefined) throw new AppError("usage", `${path} is not inside the repository ${root}`);
  const inner = relative(root, inside);
  return inner === "" ? "." : inner.split(sep).join("/");
}
