import { basename, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { toRealPath } from "../../files/real-path.ts";
import { openRepository } from "../../review/git/repository.ts";
import { createFilesOrigin } from "../../review/patch/files-origin.ts";
import { findOtherRepository } from "../../review/patch/find-vcs.ts";
import { createPatchOrigin, patchFile, patchFromStream, readParts } from "../../review/patch/patch-origin.ts";
import { createPatchSession, type PatchOrigin } from "../../review/patch/patch-session.ts";
import { createVcsOrigin } from "../../review/patch/vcs-origin.ts";
import type { Output } from "../output.ts";
import { codeReviewOf, pathWithin, type ReviewCodeFlags } from "./code.ts";
import { comparedPaths } from "./compared-paths.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { resolveLiveOptions, resolveOptions } from "./options.ts";
import type { LiveFlags, ReviewFilesFlags } from "./program.ts";
import { type Review, runReview } from "./run.ts";

/** Runs `review code` for a patch, or in a repository of jj or Sapling. Resolves to the exit code. */
export function reviewPatches(
  directory: string,
  paths: readonly string[],
  flags: ReviewCodeFlags,
  output: Output,
): Promise<number> {
  const { patch } = flags;
  const prepare =
    patch === undefined
      ? () => prepareVcs(directory, paths, flags)
      : (lifecycle: Lifecycle) => preparePatch(patch, directory, paths, flags, lifecycle);
  return runReview(prepare, output, flags.detached);
}

/** Runs `sallyport review files PATH…`. Resolves to the exit code. */
export function reviewFiles(
  paths: readonly string[],
  flags: ReviewFilesFlags,
  output: Output,
): Promise<number> {
  return runReview(() => prepareFiles(paths, flags), output, flags.detached);
}

async function preparePatch(
  patch: string,
  directory: string,
  paths: readonly string[],
  flags: ReviewCodeFlags,
  { signal }: Lifecycle,
): Promise<Review> {
  const options = await resolveOptions(flags, directory);
  const input = patch === "-" ? await patchFromStream(stdin(signal)) : patchFile(resolve(patch));
  // An unreadable patch is reported before the page opens.
  await readParts(input);
  const repository = await openRepository(directory, processEnvironment, signal).catch(() => undefined);
  const root = repository?.root ?? options.project;
  const inner = paths.map((path) => pathWithin(root, directory, path));
  const origin = createPatchOrigin({ input, paths: inner, root, repository });
  return toReview(flags, { ...options, project: root }, directory, {
    origin,
    isPartial: true,
    draftSubject: "patch",
    name: patch === "-" ? basename(root) : basename(patch),
    subject: ["patch", input.name, root, ...inner],
  });
}

function stdin(signal: AbortSignal): AsyncIterable<Buffer> {
  if (process.stdin.isTTY) {
    throw new AppError("usage", "No patch on stdin: it is a terminal", {
      hint: "For example: git diff main | sallyport review code --patch -",
    });
  }
  return addAbortSignal(signal, process.stdin);
}

async function prepareVcs(
  directory: string,
  paths: readonly string[],
  flags: ReviewCodeFlags,
): Promise<Review> {
  const options = await resolveOptions(flags, directory);
  const repository = findOtherRepository(directory);
  if (!repository) throw new AppError("not_a_repository", `${directory} is not inside a repository`);
  const { kind, root } = repository;
  const inner = paths.map((path) => pathWithin(root, directory, path));
  const origin = await createVcsOrigin(repository, inner, processEnvironment);
  // A repository that its program cannot read is reported before the page opens.
  await origin.take(undefined, new AbortController().signal);
  return toReview(flags, { ...options, project: root }, directory, {
    origin,
    isPartial: inner.length > 0,
    draftSubject: "repository",
    name: basename(root),
    subject: [kind, root, ...inner],
  });
}

async function prepareFiles(paths: readonly string[], flags: ReviewFilesFlags): Promise<Review> {
  const directory = toRealPath(resolve("."));
  const options = await resolveOptions(flags, directory);
  if (paths.length === 0) {
    throw new AppError("usage", "No files or folders specified", {
      hint: "Name at least one, for example: sallyport review files src README.md",
    });
  }
  const compared = await comparedPaths(paths, flags.against);
  const origin = createFilesOrigin({ compared, project: options.project });
  return toReview(flags, options, directory, {
    origin,
    draftSubject: "files",
    name: paths.length === 1 ? basename(compared[0]?.path ?? "") : `${paths.length} files and folders`,
    listedAs: "files",
    subject: ["files", ...compared.flatMap(({ path, against = "" }) => [path, against])],
  });
}

interface PatchSource {
  readonly origin: PatchOrigin;
  readonly name: string;
  readonly listedAs?: Review["listedAs"];
  readonly isPartial?: Review["isPartial"];
  readonly draftSubject: Review["draftSubject"];
  readonly subject: readonly string[];
}

function toReview(
  flags: LiveFlags & { readonly sarif?: string },
  options: Review["options"],
  directory: string,
  { origin, name, listedAs, isPartial, draftSubject, subject }: PatchSource,
): Promise<Review> {
  const live = resolveLiveOptions(flags);
  return codeReviewOf({
    flags,
    options,
    directory,
    name,
    mode: listedAs,
    isPartial,
    draftSubject,
    live: live && { ...live, subject },
    openDiffs: async () => createPatchSession(origin),
  });
}
