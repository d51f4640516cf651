import { basename } from "node:path";
import { type DecodedInput, decodeInput } from "../../agents/decode-input.ts";
import { type LoadedPlan, loadPlan } from "../../agents/load-plan.ts";
import { homeOf, processEnvironment } from "../../config/paths.ts";
import { AppError, messageOf } from "../../errors.ts";
import type { AgentOrigin, Caller } from "../../review/api-types.ts";
import type { AgentChannel } from "../../review/plan/agent-channel.ts";
import { jsonChannel, textChannel } from "../../review/plan/generic-channel.ts";
import type { Output } from "../output.ts";
import { tellApproved } from "./approval-notes.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ReviewFlags } from "./program.ts";
import { readInput } from "./read-input.ts";
import { type ReviewJob, runReview } from "./run.ts";
import { timeLimitOf } from "./settings.ts";
import { type Workplace, workplaceOf } from "./workspace.ts";

type Reviewable = Exclude<DecodedInput, { kind: "unrelated" | "approved" }>;

/** `sallyport review plan [FILE]`; resolves to the exit code. */
export async function reviewPlan(
  file: string | undefined,
  flags: ReviewFlags,
  output: Output,
): Promise<number> {
  let hook: DecodedInput | undefined;
  const prepare = async (lifecycle: Lifecycle): Promise<ReviewJob | undefined> => {
    const input = decodeInput(await inputInTime(file, flags, lifecycle, output), {
      home: homeOf(processEnvironment),
      environment: processEnvironment,
    });
    if (input.kind !== "envelope" && input.kind !== "markdown") hook = input;
    if (input.kind === "approved") return tellApproved(input, flags, output);
    if (input.kind === "markdown" && /^\s*\{/.test(input.plan))
      output.note("This begins like JSON and is no event or envelope: it is shown as it stands.");
    if (input.kind !== "unrelated") return prepareJob(input, flags);
    output.note(`Nothing to review in the event "${input.event}": it is left to the agent.`);
    return undefined;
  };
  try {
    return exitCodeFor(hook, await runReview(prepare, flags, output));
  } catch (error) {
    if (!hook) throw error;
    // Nobody refused anything: let the agent ask by itself.
    output.note(`sallyport: ${messageOf(error)}`);
    if (!(error instanceof AppError)) return exitCodeFor(hook, 1);
    if (error.hint) output.note(error.hint);
    return exitCodeFor(hook, error.exitCode);
  }
}

/** Whoever limits the time does not mean to wait for ever for a plan that does not come. */
async function inputInTime(
  file: string | undefined,
  flags: ReviewFlags,
  { signal, stopAfter }: Lifecycle,
  output: Output,
): Promise<string> {
  stopAfter(timeLimitOf(flags));
  const text = await readInput(file, signal, (text) => output.note(text));
  stopAfter(undefined);
  return text;
}

/** Agents take exit code 2 of a hook for a refusal, and some take any. */
function exitCodeFor(hook: DecodedInput | undefined, code: number): number {
  if (hook?.kind === "hook" && hook.channel.failureDenies) return 0;
  return hook && code === 2 ? 1 : code;
}

async function prepareJob(input: Reviewable, flags: ReviewFlags): Promise<ReviewJob | undefined> {
  const { cwd } = input.kind === "hook" ? input : input.kind === "envelope" ? input.envelope : {};
  const workplace = await workplaceOf(flags, cwd);
  const loaded = await load(input);
  if (input.kind === "hook" && input.mayLackPlan && "missing" in loaded) return undefined;
  const facts = factsOf(input, workplace);
  const channel = channelOf(input, facts.origin, flags);
  const requested = input.kind === "hook" ? input.requested : undefined;
  return {
    workplace,
    kind: "plan",
    ...facts,
    caller: callerOf(channel, workplace),
    ...(input.kind === "hook" ? { agentSession: input.agentSession, transcript: input.transcript } : {}),
    ...(channel.listensFor === undefined ? {} : { listensFor: channel.listensFor }),
    subject: async () => {
      const { planSubject } = await import("./plan-subject.ts");
      return planSubject({
        loaded,
        channel,
        workplace,
        origin: facts.origin,
        permissionMode: facts.permissionMode,
        requested,
      });
    },
  };
}

async function load(input: Reviewable): Promise<LoadedPlan> {
  if (input.kind === "hook") return loadPlan(input.plan);
  const plan = input.kind === "envelope" ? input.envelope.plan : input.plan;
  if (plan.trim()) return { plan };
  throw new AppError("input", "The plan is empty", {
    hint: 'Expected Markdown, an agent\'s hook event, or {"plan": "…"}.',
  });
}

type Facts = Pick<ReviewJob, "origin" | "sharingEnabled" | "listedAgents"> & {
  readonly permissionMode?: string;
};

/** What the input says about itself goes before flags and environment. */
function factsOf(input: Reviewable, { settings }: Workplace): Facts {
  const sharingEnabled = settings.environment.sharing;
  const origin = settings.origin ?? "origin_b";
  if (input.kind === "markdown") return { origin, sharingEnabled };
  const told = input.kind === "hook" ? input : input.envelope;
  const { agents = [], sharingEnabled: wanted = true } = input.kind === "envelope" ? input.envelope : {};
  return {
    origin: told.origin ?? origin,
    sharingEnabled: sharingEnabled && wanted,
    ...(told.permissionMode === undefined ? {} : { permissionMode: told.permissionMode }),
    ...(agents.length > 0 ? { listedAgents: agents } : {}),
  };
}

function channelOf(input: Reviewable, origin: AgentOrigin, flags: ReviewFlags): AgentChannel {
  if (input.kind === "hook") return input.channel;
  if (input.kind === "envelope") return jsonChannel(origin);
  return flags.json ? jsonChannel(origin, "the command line") : textChannel(origin);
}

function callerOf(channel: AgentChannel, { cwd, project, settings }: Workplace): Caller {
  const { callerName, takes, listensFor } = channel;
  const limits = [settings.patience, listensFor].filter((limit) => limit !== undefined);
  const patience = limits.length === 0 ? undefined : Math.min(...limits);
  const deadline =
    patience === undefined ? {} : { deadline: new Date(Date.now() + patience * 1000).toISOString() };
  return { name: callerName, cwd, project: basename(project), ...takes, ...deadline };
}
