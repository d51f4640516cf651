import { createHash, randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { writeDurably } from "../../files/durable-file.ts";
import type { Doors } from "../../http/listeners.ts";
import { createPageToken } from "../../http/page-token.ts";
import { listAgents } from "../../review/agents.ts";
import type { ReviewContext } from "../../review/context.ts";
import type { Decision } from "../../review/decision.ts";
import { createEventHub } from "../../review/events.ts";
import { createImagePolicy } from "../../review/images/image-policy.ts";
import type { Outcome, Session } from "../../review/session.ts";
import { createDraftStore } from "../../review/storage/drafts.ts";
import { createOpenTabs } from "../../review/storage/open-tabs.ts";
import { prune } from "../../review/storage/prune.ts";
import { createRecordStore } from "../../review/storage/records.ts";
import { createSettingsStore } from "../../review/storage/settings.ts";
import type { Output } from "../output.ts";
import { createReviewApp } from "./app.ts";
import { type Ending, exitCodeOf } from "./lifecycle.ts";
import { isBeyondLoopback } from "./listen.ts";
import type { ReviewFlags } from "./program.ts";
import type { ReviewJob, ReviewSubject } from "./run.ts";
import { type CallerWatch, watchCaller } from "./watch-caller.ts";

/** A review whose URL has been told. */
export interface AnnouncedReview {
  readonly job: ReviewJob;
  readonly session: Session;
  readonly doors: Doors;
  readonly url: string;
  readonly flags: ReviewFlags;
  readonly output: Output;
  /** Opens the browser; there where a tab of the last review may come by itself. */
  readonly openLater?: () => void;
  /** Why the command has to end, once it has. */
  readonly ending: () => Ending | undefined;
}

/** Exit code of a decision against, with --exit-code. */
const OBJECTION = 10;

/** Answers the page until it has decided or the review is abandoned, and hands the decision over. Resolves to the exit code. */
export async function conductReview(review: AnnouncedReview): Promise<number> {
  const { job, session, doors, output } = review;
  const subject = await job.subject();
  // The agent is watched once its page can be opened.
  const lookNow = { run: async () => {} };
  const context = { ...createContext(review, subject), lookAtCaller: () => lookNow.run() };
  const app = createReviewApp(subject.mode, context, output, job.workplace.settings);
  await doors.answerWith(app);
  beginChores(job.workplace.dataDirectory, context);
  if (review.openLater) void openUnlessTabComes(context, review.openLater);
  const watch = await watchAgent(job, context, output);
  lookNow.run = watch.look;
  const outcome = await session.outcome;
  watch.stop();
  const isTabLeft = context.events.wasHeardLately;
  await closeServer(doors, app, context, outcome);
  const noting = createOpenTabs(job.workplace.dataDirectory).note(doors.port, isTabLeft);
  if (outcome.kind === "decided") await handOver(outcome.decision, subject, context, output);
  await noting;
  if (outcome.kind === "abandoned") return undecided(review.ending() ?? { reason: "caller-gone" }, output);
  return review.flags.exitCode && subject.isObjection(outcome.decision) ? OBJECTION : 0;
}

/** Warns, once, where the agent may have gone on without its hook. The review itself goes on. */
async function watchAgent(job: ReviewJob, context: ReviewContext, output: Output): Promise<CallerWatch> {
  const { agentSession, transcript, listensFor, workplace, caller } = job;
  const { sessionId, events } = context;
  const key =
    agentSession && createHash("sha256").update(`${caller.name}\0${agentSession}`).digest("hex").slice(0, 32);
  const path = key && join(workplace.dataDirectory, "sessions", `${key}.json`);
  const isClaimed =
    path &&
    (await writeDurably(path, sessionId).then(
      () => true,
      () => false,
    ));
  return watchCaller(
    {
      parent: process.ppid,
      ...(transcript === undefined ? {} : { transcript }),
      ...(listensFor === undefined ? {} : { listensFor }),
      ...(path && isClaimed ? { claim: { path, sessionId } } : {}),
    },
    {
      onDoubt(doubt) {
        output.note(
          "The agent may no longer wait for this review; a decision is kept for: sallyport review last",
        );
        events.send({ event: "caller-doubtful", doubt });
      },
    },
  );
}

/** Browsers connect an event stream again after 3 s (Chromium) or 5 s (Firefox). */
const TAB_PATIENCE_MS = 5_500;

async function openUnlessTabComes({ events, session }: ReviewContext, open: () => void): Promise<void> {
  const isThere = await events.heardWithin(TAB_PATIENCE_MS);
  if (!isThere && session.phase === "waiting") open();
}

/** What is done while the person waits for the browser. */
function beginChores(dataDirectory: string, context: ReviewContext): void {
  const { mode, session } = context;
  // Where the page cannot be drawn now, its request tries again.
  mode.fillPage?.("", context).catch(() => {});
  void prune({
    dataDirectory,
    inUse: new Set([`${mode.draftKey()}.json`]),
    goOn: () => session.phase === "waiting",
  });
}

/** Prints the decision for the agent. */
async function handOver(
  decision: Decision,
  { print, mode }: ReviewSubject,
  { drafts, records, events }: ReviewContext,
  output: Output,
): Promise<void> {
  const isTaken = await output.result(await print(decision));
  // A pipe that is still there takes the result, whether its agent reads it or not.
  const isRead = isTaken && events.doubt === undefined;
  // What the agent has been told need not be restored; what it missed is restored with the next round.
  if (isRead) {
    await drafts.remove(mode.draftKey()).catch(() => {});
    await records.markRead();
  } else if (records.hasFailed) output.note("Nobody read the decision, and it is not on record.");
  else output.note("Nobody read the decision. It is on record: sallyport review last");
}

/** Whoever pressed Ctrl-C, or let the time pass, wants to know what became of their notes. */
function undecided(ending: Ending, output: Output): number {
  const byPerson = ending.reason === "signal" && ending.signal === "SIGINT";
  if (byPerson || ending.reason === "timeout")
    output.note("Ended without a decision; what was typed is kept for the next review of this.");
  return exitCodeOf(ending);
}

/** Tells the pages why they lose their server, and ends it with every connection there is. */
async function closeServer(
  doors: Doors,
  app: FastifyInstance,
  { events }: ReviewContext,
  outcome: Outcome,
): Promise<void> {
  events.send({ event: "closing", reason: outcome.kind === "decided" ? "decided" : outcome.reason });
  events.close();
  // The streams need their turn to write the farewell before the connections are cut.
  await new Promise((resolve) => setImmediate(resolve));
  await app.close();
  doors.close();
}

/** Whoever reads the terminal learns that nobody pressed a button. */
function programDecisionNote(decision: Decision): string {
  const mode = decision.kind === "approve" ? decision.permissionMode : undefined;
  const chosen = mode === undefined ? "" : ` It chose the permission mode "${mode}".`;
  return `Decided by a program that called the review's port, not in the page.${chosen}`;
}

function createContext(
  { job, session, url, output }: AnnouncedReview,
  { mode, namedImages = [] }: ReviewSubject,
): ReviewContext {
  const { workplace, origin, caller, sharingEnabled, listedAgents } = job;
  const { dataDirectory, project, settings, planSave } = workplace;
  const { opencodeUrl } = settings.environment;
  const uploadFolder = join(tmpdir(), "sallyport");
  const sessionId = randomUUID();
  const uploadFallback = join(dataDirectory, "uploads");
  const uploads = [uploadFolder, `${uploadFolder}-${process.getuid?.() ?? "own"}`, uploadFallback];
  const confined = { folders: [...uploads, project], files: namedImages };
  const sources = { origin, cwd: caller.cwd, listed: listedAgents, opencodeUrl };
  const onDeserted = () => output.note(`The page was closed; the review still waits at ${url}`);
  return {
    session,
    sessionId,
    project,
    pageToken: createPageToken(),
    onProgramDecision: (decision) => output.note(programDecisionNote(decision)),
    origin,
    caller,
    sharingEnabled,
    mode,
    events: createEventHub(sessionId, onDeserted),
    drafts: createDraftStore(dataDirectory, { session: sessionId }),
    settings: createSettingsStore(dataDirectory, { theme: "system", planSave }),
    records: createRecordStore(dataDirectory),
    images: createImagePolicy({
      cwd: caller.cwd,
      ...(isBeyondLoopback(settings.host) ? { confined } : {}),
    }),
    uploadFolder,
    uploadFallback,
    agents: () => listAgents(sources),
  };
}
