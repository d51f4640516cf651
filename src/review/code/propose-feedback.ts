import { AppError } from "../../errors.ts";
import type { AgentOrigin, AgentsAnswer } from "../api-types.ts";
import type { CodeDecision } from "../decision.ts";
import type { HeldDiff } from "../git/diff-desk.ts";
import type { FeedbackInput } from "./code-schemas.ts";
import { type FeedbackParts, feedbackText } from "./feedback-text.ts";
import { quoteAnnotations } from "./quote-annotations.ts";

export interface FeedbackRules {
  readonly origin: AgentOrigin;
  readonly agents: AgentsAnswer["agents"];
  readonly repository: string;
}

export interface ProposedFeedback {
  readonly decision: CodeDecision;
  readonly warnings: readonly string[];
}

/**
 * The decision a body asks for, with the text the agent will read. Throws `validation` for an agent that is not on
 * offer; an agent named by a caller that cannot switch is left out with a warning.
 */
export async function proposeFeedback(
  body: FeedbackInput,
  diff: HeldDiff | undefined,
  rules: FeedbackRules,
): Promise<ProposedFeedback> {
  const { feedback, annotations = [], complete = false } = body;
  const wanted = body.agentSwitch || undefined;
  const agentSwitch = rules.origin === "origin_b" ? wanted : undefined;
  if (agentSwitch !== undefined) checkAgent(agentSwitch, rules.agents);
  const quoted = complete ? [] : await quoteAll(diff, annotations);
  const text = feedbackText({ feedback: feedback ?? "", annotations: quoted, ...namesOf(diff, rules) });
  return {
    decision: {
      kind: "feedback",
      ...(feedback === undefined ? {} : { feedback }),
      annotations,
      ...(agentSwitch === undefined ? {} : { agentSwitch }),
      text: agentSwitch === undefined ? text : `${text}\n\nContinue as the agent "${agentSwitch}".`,
    },
    warnings:
      wanted !== undefined && agentSwitch === undefined
        ? [`agentSwitch was ignored: an agent of the kind ${rules.origin} cannot be told`]
        : [],
  };
}

/** Without a diff, since git failed, there is nothing to quote; what was typed still arrives. */
function quoteAll(diff: HeldDiff | undefined, annotations: NonNullable<FeedbackInput["annotations"]>) {
  return diff ? quoteAnnotations(diff, annotations) : annotations.map((annotation) => ({ annotation }));
}

function namesOf(
  diff: HeldDiff | undefined,
  { repository }: FeedbackRules,
): Pick<FeedbackParts, "diff" | "repository" | "branch"> {
  const { gitContext, snapshot } = diff ?? {};
  const options = [...(gitContext?.diffOptions ?? []), ...(gitContext?.moreDiffOptions ?? [])];
  const label = options.find(({ id }) => id === snapshot?.plan.diffType)?.label;
  return {
    diff: `diff "${label ?? snapshot?.plan.diffType ?? "uncommitted"}" (${snapshot?.plan.gitRef ?? "HEAD"})`,
    repository,
    branch: gitContext?.currentBranch ?? "unknown",
  };
}

function checkAgent(name: string, agents: FeedbackRules["agents"]): void {
  if (agents.length === 0 || agents.some((agent) => agent.id === name || agent.name === name)) return;
  throw new AppError("validation", `agentSwitch: there is no agent "${name}" to switch to`);
}
