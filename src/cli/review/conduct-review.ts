import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Doors } from "../../http/doors.ts";
import { createPageToken } from "../../http/page-token.ts";
import { listAgents } from "../../review/agents.ts";
import type { Decision } from "../../review/decision.ts";
import { createDraftStore } from "../../review/drafts/draft-store.ts";
import { createEventHub } from "../../review/events.ts";
import { createImagePolicy } from "../../review/images/image-policy.ts";
import { createRecordStore } from "../../review/records/record-store.ts";
import type { ReviewContext } from "../../review/review-mode.ts";
import type { Outcome, Session } from "../../review/session.ts";
import { prune } from "../../review/storage/prune.ts";
import { createSettingsStore } from "../../review/storage/settings-store.ts";
import type { Output } from "../output.ts";
import { createReviewApp } from "./create-review-app.ts";
import { type Ending, exitCodeOf } from "./lifecycle.ts";
import { isBeyondLoopback } from "./listen-review.ts";
import type { ReviewFlags } from "./review-program.ts";
import type { ReviewJob, ReviewSubject } from "./run-review.ts";

/** A review whose URL has been told. */
export interface AnnouncedReview {
  readonly job: ReviewJob;
  readonly session: Session;
  readonly doors: Doors;
  readonly url: string;
  readonly flags: ReviewFlags;
  readonly output: Output;
  /** Why the command has to end, once it has. */
  readonly ending: () => Ending | undefined;
}

/** Exit code of a decision against, with --exit-code. */
const OBJECTION = 10;

/** Answers the page until it has decided or the review is abandoned, and hands the decision over. Resolves to the exit code. */
export async function conductReview(review: AnnouncedReview): Promise<number> {
  const { job, session, doors, output } = review;
  const subject = await job.subject();
  const context = createContext(review, subject);
  const app = createReviewApp(subject.mode, context, output, job.workplace.settings);
  await doors.answerWith(app);
  beginChores(job.workplace.dataDirectory, context);
  const outcome = await session.outcome;
  await closeServer(doors, app, context, outcome);
  if (outcome.kind === "abandoned") return undecided(review.ending() ?? { reason: "caller-gone" }, output);
  await handOver(outcome.decision, subject, context, output);
  return review.flags.exitCode && subject.isObjection(outcome.decision) ? OBJECTION : 0;
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
  { drafts, records }: ReviewContext,
  output: Output,
): Promise<void> {
  const isRead = await output.result(await print(decision));
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
  const confined = { folders: [uploadFolder, project], files: namedImages };
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
    agents: () => listAgents(sources),
  };
}
