import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { processEnvironment } from "../../config/paths.ts";
import { warnOfUnknownSwitches } from "../../config/review/environment.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import type { Listeners } from "../../http/listeners.ts";
import type { ListedAgent } from "../../review/agents.ts";
import type { AgentOrigin, Caller, ReviewEntry } from "../../review/api-types.ts";
import type { ReviewMode } from "../../review/context.ts";
import type { SarifFinding } from "../../review/live/parse-sarif.ts";
import type { ReviewIdentity } from "../../review/live/register-review.ts";
import { createSession, type Session } from "../../review/session.ts";
import { createOpenTabs } from "../../review/storage/open-tabs.ts";
import { dataDirectoryFailure } from "../data-directory-failure.ts";
import type { Output } from "../output.ts";
import { openReadyFile } from "../ready-file.ts";
import { chooseOpening, openBrowser } from "./browser.ts";
import { getExitCode, type Lifecycle, startLifecycle } from "./lifecycle.ts";
import { listenForReview } from "./listen.ts";
import type { LiveOptions, ReviewOptions } from "./options.ts";
import { reportReach } from "./report-reach.ts";
import type { WatchedCaller } from "./watch-caller.ts";

/** The subject of a review, its options and its caller. */
export interface Review {
  readonly options: ReviewOptions;
  readonly kind: ReviewMode["kind"];
  /** The mode that lists of open reviews show; undefined stands for the kind. */
  readonly listedAs?: ReviewEntry["mode"] | undefined;
  /** Whether a review of code shows only some paths of the repository, or a patch. */
  readonly isPartial?: boolean | undefined;
  /** The kind of subject that is named in the note on kept comments. */
  readonly draftSubject: "plan" | "branch" | "repository" | "patch" | "files" | "pull request";
  /** Title for the lists of open reviews. */
  readonly title: string;
  readonly origin: AgentOrigin;
  readonly caller: Caller;
  readonly sharingEnabled: boolean;
  /** Agents that the caller listed in its input. */
  readonly listedAgents?: readonly ListedAgent[] | undefined;
  /**
   * The id of the agent's session, to detect that the agent continues without its hook; see watch-caller.ts.
   */
  readonly agentSession?: string | undefined;
  readonly transcript?: WatchedCaller["transcript"];
  readonly listensFor?: number | undefined;
  /** Findings of a tool, shown as threads. */
  readonly findings?: readonly SarifFinding[] | undefined;
  /** The subject whose next review takes over the threads if this review is not live. */
  readonly threadsOf?: readonly string[] | undefined;
  /**
   * Set for a live review. If the review is interrupted, the next live review of the same `subject` takes it
   * over.
   */
  readonly live?: (LiveOptions & { readonly subject: readonly string[]; readonly file?: string }) | undefined;
  /** Loads the mode. Called once the URL has been printed, so that the browser starts first. */
  readonly loadMode: () => Promise<ReviewMode>;
}

/** One execution of a review, from its listeners to its exit code. */
export interface ReviewRun {
  readonly review: Review;
  readonly output: Output;
  readonly lifecycle: Lifecycle;
  readonly session: Session;
  readonly listeners: Listeners;
  readonly url: string;
  readonly identity: ReviewIdentity;
  /**
   * Opens the browser. Set if an open tab of the last review may load the page, so that no new tab is needed.
   */
  readonly openBrowserLater: (() => void) | undefined;
}

/**
 * Runs one review from `prepare` to the printed decision. Resolves to the exit code. If `prepare` finds
 * nothing to review (undefined), prints nothing and resolves to 0. With `outlivesParent`, the review
 * continues when the parent process ends.
 */
export async function runReview(
  prepare: (lifecycle: Lifecycle) => Promise<Review | undefined>,
  output: Output,
  outlivesParent = false,
): Promise<number> {
  const lifecycle = startLifecycle({ outlivesParent });
  try {
    const review = await prepare(lifecycle);
    return review ? await start(review, output, lifecycle) : 0;
  } catch (error) {
    if (lifecycle.exitReason) return getExitCode(lifecycle.exitReason);
    throw error;
  } finally {
    lifecycle.dispose();
  }
}

async function start(review: Review, output: Output, lifecycle: Lifecycle): Promise<number> {
  await checkDataDirectory(review.options.dataDirectory);
  const session = createSession();
  const listeners = await openListenersFor(review, session, output, lifecycle);
  try {
    const url = `http://localhost:${listeners.port}`;
    const { identity, openBrowserLater } = await announce(review, url, listeners.port, output);
    // The server is loaded while the browser starts; requests that arrive earlier wait for it.
    const { serveReview } = await import("./serve.ts");
    return await serveReview({
      review,
      output,
      lifecycle,
      session,
      listeners,
      url,
      identity,
      openBrowserLater,
    });
  } finally {
    listeners.close();
  }
}

/** Binds the addresses. From this call on, any event that ends the command abandons the review. */
async function openListenersFor(
  { options }: Review,
  session: Session,
  output: Output,
  lifecycle: Lifecycle,
): Promise<Listeners> {
  const listeners = await listenForReview({
    port: options.port,
    host: options.host,
    projectFolder: options.project,
    signal: lifecycle.signal,
    onRetry: (message) => output.note(message),
  });
  const abandon = () => session.abandon(lifecycle.exitReason?.reason ?? "signal");
  lifecycle.signal.addEventListener("abort", abandon);
  if (lifecycle.signal.aborted) abandon();
  lifecycle.stopAfter(options.timeout);
  return listeners;
}

/** The noun for the subject of a review, by its kind. */
const REVIEWED: Readonly<Record<Review["kind"], string>> = {
  plan: "plan",
  code: "changes",
  pr: "pull request",
};

/**
 * Announces the URL: to the person on stderr, to programs in the ready file, to other reviews and agents in the running
 * file, and to the browser. If an open tab of the last review may load the page, does not open the browser and returns
 * a function that opens it.
 */
async function announce(
  review: Review,
  url: string,
  port: number,
  output: Output,
): Promise<Pick<ReviewRun, "identity" | "openBrowserLater">> {
  const { options, kind } = review;
  const opening = chooseOpening(options.environment, options.open);
  const readyFile = options.readyFile ? await openReadyFile(options.readyFile) : undefined;
  for (const warning of warnOfUnknownSwitches(processEnvironment)) output.note(warning);
  output.note(`Review the ${REVIEWED[kind]} at ${url}`, "essential");
  await reportReach(options, opening, port, output);
  const open = () => void openBrowser(opening, url, (text) => output.note(text));
  const isTabLeft = opening.how !== "not" && (await createOpenTabs(options.dataDirectory).mayWait(port));
  if (!isTabLeft) open();
  const identity = await register(review, url, port);
  await readyFile?.write(url, port);
  return { identity, openBrowserLater: isTabLeft ? open : undefined };
}

/**
 * Writes the running file, by which other reviews, the inbox and agents find this review. A one-shot review
 * continues if the file cannot be written.
 */
async function register(review: Review, url: string, port: number): Promise<ReviewIdentity> {
  const { options, kind, listedAs = kind, title, caller, live, isPartial } = review;
  const { addRunning, createIdentity, removeStale } = await import("../../review/live/register-review.ts");
  const identity = createIdentity();
  const { reviewId: id, token } = identity;
  const entry = { id, mode: listedAs, live: live !== undefined, url, title, repository: options.project };
  const since = new Date().toISOString();
  const own = { ...entry, agent: caller.name, since, port, token, file: live?.file, isPartial };
  const adding = addRunning(options.dataDirectory, own);
  await (live ? adding : adding.catch(() => {}));
  // The running file of a killed review may name the same port.
  const removing = removeStale(options.dataDirectory);
  if (live) await removing;
  return identity;
}

/**
 * Creates the data directory and checks that it is writable. Call it before the review starts: without a writable
 * directory, decisions and comments would be lost. Throws `storage`.
 */
export async function checkDataDirectory(path: string): Promise<void> {
  try {
    await makePrivateFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw dataDirectoryFailure(path, cause);
  }
}
