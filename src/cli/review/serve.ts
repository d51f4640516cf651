import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { getErrorMessage } from "../../errors.ts";
import type { Listeners } from "../../http/listeners.ts";
import { createPageToken } from "../../http/page.ts";
import { listAgents } from "../../review/agents.ts";
import type { ReviewContext, ReviewMode } from "../../review/context.ts";
import type { Decision } from "../../review/decision.ts";
import { createEventHub } from "../../review/events.ts";
import { createImagePolicy } from "../../review/images/image-policy.ts";
import { hashSubject } from "../../review/live/log-folder.ts";
import { removeRunning } from "../../review/live/register-review.ts";
import { createReviewThreads } from "../../review/live/review-threads.ts";
import type { Outcome } from "../../review/session.ts";
import { createDraftStore } from "../../review/storage/drafts.ts";
import { createOpenTabs } from "../../review/storage/open-tabs.ts";
import { prune } from "../../review/storage/prune.ts";
import { createRecordStore } from "../../review/storage/records.ts";
import { createSettingsStore } from "../../review/storage/settings.ts";
import type { Output } from "../output.ts";
import { claimSession } from "./agent-session.ts";
import { createReviewApp } from "./app.ts";
import { type ExitReason, getExitCode } from "./lifecycle.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { Review, ReviewRun } from "./run.ts";
import { type CallerWatch, watchCaller } from "./watch-caller.ts";

/** The exit code of a denial or of feedback, with --exit-code. */
const EXIT_CODE_OF_OBJECTION = 10;

/**
 * Serves the page until a decision is made or the review is abandoned, and prints the decision. Resolves to the exit
 * code.
 */
export async function serveReview(run: ReviewRun): Promise<number> {
  const { review, session, listeners, output } = run;
  const { options } = review;
  const mode = await review.loadMode();
  // Replaced by `watch.look` once the server responds, because the agent is watched only from then on.
  const lookNow = { run: async () => {} };
  const context = { ...createContext(run, mode), lookAtCaller: () => lookNow.run() };
  const live = review.live && (await import("./live/serve-live.ts"));
  if (live && review.live) await live.startLive(run, review.live, context);
  const app = createReviewApp(context, output, options, listeners.port);
  if (review.findings) showFindings(review.findings, context, output);
  await listeners.respondWith(app);
  await live?.announceLive(run, context);
  startBackgroundTasks(options.dataDirectory, context);
  if (run.openBrowserLater) void openUnlessTabLoads(context, run.openBrowserLater);
  const watch = live ? undefined : await watchAgent(review, context, output);
  if (watch) lookNow.run = watch.look;
  const outcome = await session.outcome;
  watch?.stop();
  const liveEnd = await live?.endLive(run, context, outcome);
  const isTabLeft = context.events.wasConnectedLately;
  await removeRunning(options.dataDirectory, context.threads.reviewId);
  await closeServer(listeners, app, context, outcome);
  const noting = createOpenTabs(options.dataDirectory).note(listeners.port, isTabLeft);
  if (liveEnd) await liveEnd.print();
  else if (outcome.kind === "decided") await printDecision(outcome.decision, context, output);
  await Promise.all([noting, context.threads.close()]);
  if (liveEnd && !run.lifecycle.exitReason && outcome.kind === "abandoned") return 0;
  if (outcome.kind === "abandoned")
    return reportUndecided(run.lifecycle.exitReason ?? { reason: "caller-gone" }, review, output);
  return options.exitCode && mode.isObjection(outcome.decision) ? EXIT_CODE_OF_OBJECTION : 0;
}

/** Adds the findings while the page loads; requests for the threads wait for them. */
function showFindings(
  findings: NonNullable<Review["findings"]>,
  context: ReviewContext,
  output: Output,
): void {
  context.threads.seed(
    async (store) => {
      const { addFindings } = await import("./live/add-sarif.ts");
      await addFindings(findings, store, context, output);
    },
    (error) => output.note(`The findings could not be shown: ${getErrorMessage(error)}`),
  );
}

/** Warns once if the agent may have continued without its hook. The review stays open. */
async function watchAgent(review: Review, context: ReviewContext, output: Output): Promise<CallerWatch> {
  const { agentSession, transcript, listensFor, options, caller } = review;
  const { sessionId, events } = context;
  const session = { dataDirectory: options.dataDirectory, caller: caller.name, agentSession };
  const claim = await claimSession(session, sessionId);
  return watchCaller(
    { parent: process.ppid, transcript, listensFor, claim },
    {
      onDoubt(doubt) {
        output.note(
          "The agent may no longer wait for this review. To print the decision later: sallyport review last",
        );
        events.send({ event: "caller-doubtful", doubt });
      },
    },
  );
}

/** Milliseconds to wait for an open tab. Browsers reconnect an event stream after 3 s (Chromium) or 5 s (Firefox). */
const TAB_TIMEOUT_MS = 5_500;

async function openUnlessTabLoads({ events, session }: ReviewContext, open: () => void): Promise<void> {
  const isThere = await events.connectedWithin(TAB_TIMEOUT_MS);
  if (!isThere && session.phase === "waiting") open();
}

function startBackgroundTasks(dataDirectory: string, context: ReviewContext): void {
  const { mode, session } = context;
  // If the page cannot be prerendered now, the request for the page tries again.
  mode.prerender?.("", context).catch(() => {});
  void prune({
    dataDirectory,
    inUse: new Set([`${mode.draftKey()}.json`]),
    readOpen: async () => {
      const { openFiles } = await import("../../review/live/running-files.ts");
      return openFiles(dataDirectory);
    },
    shouldContinue: () => session.phase === "waiting",
  });
}

async function printDecision(
  decision: Decision,
  { mode, drafts, records, events }: ReviewContext,
  output: Output,
): Promise<void> {
  const isTaken = await output.result(await mode.encode(decision));
  // An open pipe accepts the result even if the agent no longer reads it.
  const isRead = isTaken && events.doubt === undefined;
  // The draft of a decision that was read is not needed. The draft of an unread decision is restored in the
  // next round.
  if (isRead) {
    await drafts.remove(mode.draftKey()).catch(() => {});
    await records.markRead();
  } else if (records.hasFailed) output.note("The agent did not read the decision, and it is not recorded.");
  else output.note("The agent did not read the decision. To print it: sallyport review last");
}

/** Reports that the comments are kept, if the person pressed Ctrl-C or the time limit passed. Returns the exit code. */
function reportUndecided(exitReason: ExitReason, { draftSubject }: Review, output: Output): number {
  const byPerson = exitReason.reason === "signal" && exitReason.signal === "SIGINT";
  if (byPerson || exitReason.reason === "timeout")
    output.note(
      `Ended without a decision. Comments are kept for the next review of the same ${draftSubject}.`,
    );
  return getExitCode(exitReason);
}

/** Sends the pages the reason, then closes the server and every connection. */
async function closeServer(
  listeners: Listeners,
  app: FastifyInstance,
  { events }: ReviewContext,
  outcome: Outcome,
): Promise<void> {
  events.send({ event: "closing", reason: outcome.kind === "decided" ? "decided" : outcome.reason });
  events.close();
  // The streams write the reason in the next turn of the event loop, before the connections are closed.
  await new Promise((resolve) => setImmediate(resolve));
  await app.close();
  listeners.close();
}

/** Returns the message for a decision that did not come from a page. */
function programDecisionNote(decision: Decision): string {
  const mode = decision.kind === "approve" ? decision.permissionMode : undefined;
  const chosen = mode === undefined ? "" : ` It chose the permission mode "${mode}".`;
  return `Decided by a program that called the review's port, not on the page.${chosen}`;
}

function createContext(
  { review, session, url, output, identity }: ReviewRun,
  mode: ReviewMode,
): ReviewContext {
  const { options, origin, caller, sharingEnabled, listedAgents } = review;
  const { dataDirectory, project, environment, planSave } = options;
  const uploadFolder = join(tmpdir(), "sallyport");
  const { sessionId, reviewId, token } = identity;
  const uploadFallback = join(dataDirectory, "uploads");
  const uploads = [uploadFolder, `${uploadFolder}-${process.getuid?.() ?? "own"}`, uploadFallback];
  const confined = { folders: [...uploads, project], files: () => mode.namedImages() };
  const sources = { origin, cwd: caller.cwd, listed: listedAgents, opencodeUrl: environment.opencodeUrl };
  const onDeserted = () => output.note(`The page was closed; the review still waits at ${url}`);
  const events = createEventHub(sessionId, onDeserted);
  const subject = review.live?.subject ?? review.threadsOf;
  const threads = createReviewThreads({
    dataDirectory,
    reviewId,
    token,
    events,
    subject: subject && hashSubject(...subject),
  });
  return {
    session,
    sessionId,
    project,
    pageToken: createPageToken(),
    onNote: (text) => output.note(text),
    onProgramDecision: (decision) => output.note(programDecisionNote(decision)),
    origin,
    caller,
    sharingEnabled,
    ask: options.ask,
    mode,
    events,
    threads,
    drafts: createDraftStore(dataDirectory, { session: sessionId }),
    settings: createSettingsStore(dataDirectory, { theme: "system", planSave }),
    records: createRecordStore(dataDirectory),
    images: createImagePolicy({
      cwd: caller.cwd,
      confined: isBeyondLoopback(options.host) ? confined : undefined,
    }),
    uploadFolder,
    uploadFallback,
    agents: () => listAgents(sources),
  };
}
