import { resolve } from "node:path";
import { AppError } from "../../../errors.ts";
import { toRealPath } from "../../../files/real-path.ts";
import { listRunning, type RunningReview } from "../../../review/live/running-files.ts";
import type { Output } from "../../output.ts";
import { projectFolder } from "../../project-folder.ts";
import { type DetachFailure, spawnDetached } from "../../spawn-detached.ts";
import type { ReviewCodeFlags } from "../code.ts";
import { resolveLiveOptions } from "../options.ts";
import { dataFolder } from "./find-review.ts";

/** The id and the address of a review that runs in the background. */
export interface DetachedReview {
  readonly id: string;
  readonly url: string;
}

/** Runs `sallyport review … --live --detach`: prints `{"id", "url"}` once the page can be opened. */
export async function reviewDetached(
  { paths, ...flags }: ReviewCodeFlags & { readonly paths: readonly string[] },
  output: Output,
): Promise<number> {
  resolveLiveOptions(flags);
  if (flags.patch === "-") {
    throw new AppError("usage", "--patch - reads stdin, which a detached review does not have", {
      hint: "Save the patch to a file, or leave out --detach.",
    });
  }
  const isWhole = paths.length === 0 && flags.patch === undefined;
  const open = flags.reuse && isWhole ? await findOpen(flags.repo) : undefined;
  if (open) {
    output.note(`The live review of ${open.repository} is already open at ${open.url}`);
    await output.result(JSON.stringify({ id: open.id, url: open.url }));
    return 0;
  }
  const args = process.argv
    .slice(2)
    .filter((arg) => arg !== "--reuse")
    .map((arg) => (arg === "--detach" ? "--detached" : arg));
  const started = await startDetached(args, process.cwd(), (text) => output.note(text));
  if ("exitCode" in started) {
    output.note(started.report.trimEnd());
    return started.exitCode;
  }
  await output.result(JSON.stringify({ id: started.id, url: started.url }));
  return 0;
}

/** Returns the newest live review of all changes in a repository, or undefined. */
async function findOpen(repo = "."): Promise<RunningReview | undefined> {
  const project = projectFolder(toRealPath(resolve(repo)));
  return (await listRunning(dataFolder())).find(
    ({ live, mode, repository, isPartial }) =>
      live && mode === "code" && !isPartial && toRealPath(repository) === project,
  );
}

/**
 * Starts a live review in the background with these arguments. Once the review is ready, calls `onNote` with the notes
 * that it has printed, if any. Resolves to a `DetachFailure` if the review ends before it is ready.
 */
export async function startDetached(
  args: readonly string[],
  folder: string,
  onNote: (text: string) => void = () => {},
): Promise<DetachedReview | DetachFailure> {
  let report = "";
  const stderr = (text: string) => {
    report += text;
  };
  const started = await spawnDetached(args, { folder, stderr });
  if ("exitCode" in started) return { ...started, report };
  if (report !== "") onNote(report.trimEnd());
  return started.message as DetachedReview;
}
