import type { Doors } from "../../http/listeners.ts";
import type { ListedAgent } from "../../review/agents.ts";
import type { AgentOrigin, Caller } from "../../review/api-types.ts";
import type { ReviewMode } from "../../review/context.ts";
import type { Decision } from "../../review/decision.ts";
import { createSession, type Session } from "../../review/session.ts";
import { checkDataDirectory } from "../../review/storage/check-data-directory.ts";
import type { Output } from "../output.ts";
import { announce } from "./announce.ts";
import { exitCodeOf, type Lifecycle, startLifecycle } from "./lifecycle.ts";
import { listenForReview } from "./listen.ts";
import type { ReviewFlags } from "./program.ts";
import type { Workplace } from "./workspace.ts";

/** A review, ready to be announced: where it takes place and who asked for it. */
export interface ReviewJob {
  readonly workplace: Workplace;
  readonly kind: ReviewMode["kind"];
  readonly origin: AgentOrigin;
  readonly caller: Caller;
  readonly sharingEnabled: boolean;
  /** Agents the caller sent along. */
  readonly listedAgents?: readonly ListedAgent[] | undefined;
  /** What tells whether the agent goes on without its hook. */
  readonly agentSession?: string | undefined;
  readonly transcript?: string | undefined;
  readonly listensFor?: number | undefined;
  /** Called once the URL has been told, so that nobody waits for what it loads. */
  readonly subject: () => Promise<ReviewSubject>;
}

/** What is under review, and how its caller is answered. */
export interface ReviewSubject {
  readonly mode: ReviewMode;
  /** Images the thing under review names; shown even where the server can be reached from elsewhere. */
  readonly namedImages?: readonly string[];
  /** What stdout carries. */
  readonly print: (decision: Decision) => string | Promise<string>;
  /** Whether --exit-code ends with 10. */
  readonly isObjection: (decision: Decision) => boolean;
}

/**
 * Runs one review from its preparation to its exit code: prepared, served, announced, decided, closed, printed.
 * `prepare` may find that there is nothing to review (undefined): then nothing is printed and all is well.
 */
export async function runReview(
  prepare: (lifecycle: Lifecycle) => Promise<ReviewJob | undefined>,
  flags: ReviewFlags,
  output: Output,
): Promise<number> {
  const lifecycle = startLifecycle();
  try {
    const job = await prepare(lifecycle);
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
  const session = createSession();
  const doors = await openForReview(job, session, output, lifecycle);
  try {
    const { url, open } = await announce({ port: doors.port, job, flags, output });
    // Everything that answers is loaded while the browser is on its way; a call that comes sooner waits for it.
    const { conductReview } = await import("./serve.ts");
    const ending = () => lifecycle.ending;
    return await conductReview({
      job,
      session,
      doors,
      url,
      flags,
      output,
      ending,
      ...(open ? { openLater: open } : {}),
    });
  } finally {
    doors.close();
  }
}

/** Opens the addresses; from then on whatever ends the command abandons the review. */
async function openForReview(
  { workplace: { settings, project } }: ReviewJob,
  session: Session,
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
  lifecycle.stopAfter(settings.timeout);
  return doors;
}
