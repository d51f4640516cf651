import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Doors } from "../../http/doors.ts";
import { listAgents } from "../../review/agents.ts";
import type { AgentOrigin, Caller } from "../../review/api-types.ts";
import { checkDataDirectory } from "../../review/check-data-directory.ts";
import type { Decision } from "../../review/decision.ts";
import { createDraftStore } from "../../review/drafts/draft-store.ts";
import { createEventHub } from "../../review/events.ts";
import type { ListedAgent } from "../../review/hooks/input-schemas.ts";
import { createImagePolicy } from "../../review/images/image-policy.ts";
import { prune } from "../../review/prune.ts";
import { createRecordStore } from "../../review/records/record-store.ts";
import type { ReviewContext, ReviewMode } from "../../review/review-mode.ts";
import { createSession, type Outcome } from "../../review/session.ts";
import { createSettingsStore } from "../../review/settings-store.ts";
import type { Output } from "../output.ts";
import type { ReviewFlags } from "../program.ts";
import { announce } from "./announce.ts";
import { type Ending, exitCodeOf, type Lifecycle, startLifecycle } from "./lifecycle.ts";
import { isBeyondLoopback, listenForReview } from "./listen-review.ts";
import type { Workplace } from "./workplace.ts";

/** A review, ready to be served: what is under review and how its caller is answered. */
export interface ReviewJob {
  readonly workplace: Workplace;
  readonly mode: ReviewMode;
  readonly origin: AgentOrigin;
  readonly caller: Caller;
  readonly sharingEnabled: boolean;
  /** Agents the caller sent along. */
  readonly listedAgents?: readonly ListedAgent[];
  /** Images the thing under review names; shown even where the server can be reached from elsewhere. */
  readonly namedImages?: readonly string[];
  /** What stdout carries. */
  readonly print: (decision: Decision) => string | Promise<string>;
  /** Whether --exit-code ends with 10. */
  readonly isObjection: (decision: Decision) => boolean;
}

/** Exit code of a decision against, with --exit-code. */
const OBJECTION = 10;

/**
 * Runs one review from its preparation to its exit code: prepared, served, announced, decided, closed, printed.
 * `prepare` may find that there is nothing to review (undefined): then nothing is printed and all is well.
 */
export async function runReview(
  prepare: (signal: AbortSignal) => Promise<ReviewJob | undefined>,
  flags: ReviewFlags,
  output: Output,
): Promise<number> {
  const lifecycle = startLifecycle();
  try {
    const job = await prepare(lifecycle.signal);
    return job ? await serve(job, flags, output, lifecycle) : 0;
  } catch (error) {
    if (lifecycle.ending) return exitCodeOf(lifecycle.ending);
    throw error;
  } finally {
    lifecycle.dispose();
  }
}

async function serve(
  job: ReviewJob,
  flags: ReviewFlags,
  output: Output,
  lifecycle: Lifecycle,
): Promise<number> {
  await checkDataDirectory(job.workplace.dataDirectory);
  let url = "";
  const context = createContext(job, () =>
    output.note(`The page was closed; the review still waits at ${url}`),
  );
  const doors = await openForReview(job, context, output, lifecycle);
  try {
    url = await announce({ port: doors.port, job, flags, output });
    // Everything that answers is loaded while the browser is on its way; a call that comes sooner waits for it.
    const { createReviewApp } = await import("./create-review-app.ts");
    const app = createReviewApp(job.mode, context, output, job.workplace.settings.host);
    await doors.answerWith(app);
    beginChores(job, context);
    const outcome = await context.session.outcome;
    await closeServer(doors, app, context, outcome);
    if (outcome.kind === "abandoned") return undecided(lifecycle.ending ?? { reason: "caller-gone" }, output);
    await hand(outcome.decision, job, context, output);
    return flags.exitCode && job.isObjection(outcome.decision) ? OBJECTION : 0;
  } finally {
    doors.close();
  }
}

/** Opens the addresses; from then on whatever ends the command abandons the review. */
async function openForReview(
  { workplace: { settings, project } }: ReviewJob,
  { session }: ReviewContext,
  output: Output,
  lifecycle: Lifecycle,
): Promise<Doors> {
  const doors = await listenForReview({
    ...settings,
    projectFolder: project,
    signal: lifecycle.signal,
    onRetry: (message) => output.note(message),
  });
  const abandon = () => session.abandon(lifecycle.ending?.reason ?? "signal");
  lifecycle.signal.addEventListener("abort", abandon);
  if (lifecycle.signal.aborted) abandon();
  if (settings.timeout !== undefined) lifecycle.stopAfter(settings.timeout);
  return doors;
}

/** What is done while the person waits for the browser. */
function beginChores({ workplace: { dataDirectory }, mode }: ReviewJob, context: ReviewContext): void {
  // Where the page cannot be drawn now, its request tries again.
  context.mode.fillPage?.("", context).catch(() => {});
  void prune({
    dataDirectory,
    inUse: new Set([`${mode.draftKey()}.json`]),
    goOn: () => context.session.phase === "waiting",
  });
}

/** Prints the decision for the agent. */
async function hand(
  decision: Decision,
  job: ReviewJob,
  { drafts, records }: ReviewContext,
  output: Output,
): Promise<void> {
  const isRead = await output.result(await job.print(decision));
  // What the agent has been told need not be restored; what it missed is restored with the next round.
  if (isRead) {
    await drafts.remove(job.mode.draftKey()).catch(() => {});
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

function createContext(job: ReviewJob, onDeserted: () => void): ReviewContext {
  const { workplace, mode, origin, caller, sharingEnabled, listedAgents, namedImages = [] } = job;
  const { dataDirectory, project, settings, planSave } = workplace;
  const { opencodeUrl } = settings.environment;
  const uploadFolder = join(tmpdir(), "sallyport");
  const sessionId = randomUUID();
  const confined = { folders: [uploadFolder, project], files: namedImages };
  const sources = { origin, cwd: caller.cwd, listed: listedAgents, opencodeUrl };
  return {
    session: createSession(),
    sessionId,
    origin,
    caller,
    sharingEnabled,
    mode,
    events: createEventHub(sessionId, onDeserted),
    drafts: createDraftStore(dataDirectory),
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
