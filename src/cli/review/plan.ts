import { basename } from "node:path";
import { type DecodedInput, decodeInput, type LoadedPlan, loadPlan } from "../../agents/decode-input.ts";
import type { ApprovedInput, HookInput } from "../../agents/hook.ts";
import { getHomeDirectory, processEnvironment } from "../../config/paths.ts";
import { AppError, getErrorMessage } from "../../errors.ts";
import type { AgentOrigin, Caller } from "../../review/api-types.ts";
import type { AgentChannel } from "../../review/plan/agent-channel.ts";
import { jsonChannel, textChannel } from "../../review/plan/generic-channel.ts";
import { createPlanId } from "../../review/plan/plan-id.ts";
import { planTitle } from "../../review/plan/plan-title.ts";
import { createRecordStore } from "../../review/storage/records.ts";
import { noteError, type Output } from "../output.ts";
import { type AgentSession, reportSession } from "./agent-session.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { parseTimeLimit, type ReviewOptions, resolveOptions, shortest } from "./options.ts";
import type { LiveFlags } from "./program.ts";
import { readInput } from "./read-input.ts";
import { type Review, runReview } from "./run.ts";

type Reviewable = Exclude<DecodedInput, { kind: "unrelated" | "approved" }>;

/** Runs `sallyport review plan [FILE]`. Resolves to the exit code. */
export async function reviewPlan(
  file: string | undefined,
  flags: LiveFlags,
  output: Output,
): Promise<number> {
  let hook: DecodedInput | undefined;
  const prepare = async (lifecycle: Lifecycle): Promise<Review | undefined> => {
    const input = decodeInput(await inputInTime(file, flags, lifecycle, output), {
      home: getHomeDirectory(processEnvironment),
      environment: processEnvironment,
    });
    if (input.kind !== "envelope" && input.kind !== "markdown") hook = input;
    if (input.kind === "approved") return printApprovalNotes(input, flags, output);
    if (input.kind === "markdown" && /^\s*\{/.test(input.plan))
      output.note("The input looks like JSON but is not an event or an envelope. It is shown unchanged.");
    if (input.kind === "markdown" && flags.live) throw liveNeedsFile();
    if (input.kind !== "unrelated") return prepareReview(input, flags, lifecycle, output);
    output.note(`Nothing to review in the event "${input.event}". The agent handles it.`);
    return undefined;
  };
  try {
    return exitCodeFor(hook, await runReview(prepare, output));
  } catch (error) {
    if (!hook) throw error;
    // Without a decision, the agent shows its own prompt.
    if (error instanceof AppError) {
      noteError(output, error);
      return exitCodeFor(hook, error.exitCode);
    }
    output.note(`sallyport: ${getErrorMessage(error)} [internal]`);
    return exitCodeFor(hook, 1);
  }
}

/** Returns the error for a live review of a plan on stdin, which later calls could not continue. */
export function liveNeedsFile(): AppError {
  return new AppError("usage", "A live review of a plan needs its file", {
    hint: "For example: sallyport review plan --live plan.md",
  });
}

async function inputInTime(
  file: string | undefined,
  flags: LiveFlags,
  { signal, stopAfter }: Lifecycle,
  output: Output,
): Promise<string> {
  stopAfter(parseTimeLimit(flags));
  const text = await readInput(file, signal, (text) => output.note(text));
  stopAfter(undefined);
  return text;
}

/**
 * Returns an exit code that the agent does not interpret as a denial: many agents interpret 2 as a denial,
 * and some interpret any nonzero code as one.
 */
function exitCodeFor(hook: DecodedInput | undefined, code: number): number {
  if (hook?.kind === "hook" && hook.channel.failureDenies) return 0;
  return hook && code === 2 ? 1 : code;
}

async function prepareReview(
  input: Reviewable,
  flags: LiveFlags,
  { signal }: Lifecycle,
  output: Output,
): Promise<Review | undefined> {
  const event = input.kind === "hook" ? input : undefined;
  const envelope = input.kind === "envelope" ? input.envelope : undefined;
  const options = await resolveOptions(flags, (event ?? envelope)?.cwd);
  const loaded = await load(input);
  if (event?.planIsOptional && "missing" in loaded) {
    await reportSession(sessionOf(event, options.dataDirectory), "went-on");
    return undefined;
  }
  // Values in the input take precedence over flags and the environment.
  const origin = (event ?? envelope)?.origin ?? options.origin ?? "origin_b";
  const channel = chooseChannel(input, origin, flags);
  const { permissionMode } = event ?? envelope ?? {};
  const plan = { loaded, channel, options, origin, permissionMode, requested: event?.requested };
  // Without a plan there is no file to watch, so the person decides in a one-shot review.
  if (flags.live && "plan" in loaded) {
    const { decideInLiveReview } = await import("./live/live-hook.ts");
    const agentSession = event?.agentSession ?? flags.agentSession;
    const takesNotes = envelope !== undefined || channel.takes.approvalNote === "plan";
    const { open } = options;
    await decideInLiveReview(
      {
        toReview: plan,
        plan: loaded.plan,
        agentSession,
        transcript: event?.transcript,
        takesNotes,
        open,
        signal,
      },
      output,
    );
    return undefined;
  }
  return {
    options,
    kind: "plan",
    draftSubject: "plan",
    title: planTitle("plan" in loaded ? loaded.plan : ""),
    origin,
    caller: createCaller(channel, options),
    sharingEnabled: options.environment.sharing && envelope?.sharingEnabled !== false,
    listedAgents: envelope?.agents?.length ? envelope.agents : undefined,
    agentSession: event?.agentSession,
    transcript: event?.transcript,
    listensFor: channel.listensFor,
    loadMode: async () => {
      const { selectPlanMode } = await import("./plan-mode.ts");
      return selectPlanMode(plan);
    },
  };
}

function sessionOf({ channel, agentSession }: HookInput, dataDirectory: string): AgentSession {
  return { dataDirectory, caller: channel.callerName, agentSession };
}

async function load(input: Reviewable): Promise<LoadedPlan> {
  if (input.kind === "hook") return loadPlan(input.plan);
  const plan = input.kind === "envelope" ? input.envelope.plan : input.plan;
  if (plan.trim()) return { plan };
  throw new AppError("input", "The plan is empty", {
    hint: 'Expected Markdown, an agent\'s hook event, or {"plan": "…"}.',
  });
}

function chooseChannel(input: Reviewable, origin: AgentOrigin, flags: LiveFlags): AgentChannel {
  if (input.kind === "hook") return input.channel;
  if (input.kind === "envelope") return jsonChannel(origin, flags.agent);
  return flags.json ? jsonChannel(origin, "the command line") : textChannel(origin);
}

function createCaller(
  { callerName, takes, listensFor }: AgentChannel,
  { cwd, project, callerTimeout }: ReviewOptions,
): Caller {
  const seconds = shortest(callerTimeout, listensFor);
  const deadline = seconds === undefined ? undefined : new Date(Date.now() + seconds * 1000).toISOString();
  return { name: callerName, cwd, project: basename(project), ...takes, deadline };
}

/**
 * Prints the notes that the person wrote when they approved this plan, if any, for an agent whose approval carries no
 * text. Does not open a review.
 */
async function printApprovalNotes(
  { plan, notes, caller, agentSession, cwd }: ApprovedInput,
  flags: LiveFlags,
  output: Output,
): Promise<undefined> {
  const { origin = "origin_b", dataDirectory, project } = await resolveOptions(flags, cwd);
  // If a review is still open, the person decided in the agent's own terminal.
  await reportSession({ dataDirectory, caller, agentSession }, "decided-in-terminal");
  const loaded = await loadPlan(plan);
  if ("missing" in loaded) return;
  const planId = createPlanId(loaded.plan, { folder: project, origin, caller });
  const decision = (await createRecordStore(dataDirectory).lastOn(planId))?.decision;
  const text = decision?.kind === "approve" ? notes(decision) : undefined;
  if (text !== undefined) await output.result(text);
}
