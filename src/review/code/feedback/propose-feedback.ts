import { checkOffered } from "../../agents.ts";
import type { AgentOrigin, AgentsAnswer, FeedbackBody } from "../../api-types.ts";
import type { CodeDecision } from "../../decision.ts";
import type { DiffLease } from "../../git/diff-session.ts";
import { type FeedbackParts, feedbackText, type QuotedAnnotation } from "./feedback-text.ts";
import { quoteAnnotations } from "./quote-annotations.ts";

export interface FeedbackRules {
  readonly origin: AgentOrigin;
  readonly agents: AgentsAnswer["agents"];
  readonly repository: string;
}

export interface ProposedFeedback {
  readonly decision: CodeDecision;
  readonly quoted: readonly QuotedAnnotation[];
  readonly warnings: readonly string[];
}

/**
 * Returns the decision that a body requests, with the text for the agent. Throws `validation` for an agent that is
 * not offered. If the caller cannot switch agents, the member is ignored with a warning.
 */
export async function proposeFeedback(
  body: FeedbackBody,
  diff: DiffLease | undefined,
  rules: FeedbackRules,
): Promise<ProposedFeedback> {
  const { feedback, annotations = [], complete = false, approved = false } = body;
  const wanted = body.agentSwitch || undefined;
  const agentSwitch = rules.origin === "origin_b" ? wanted : undefined;
  if (agentSwitch !== undefined) checkOffered(agentSwitch, rules.agents);
  // The diff is undefined if git failed. Feedback is sent nevertheless, without quoted code.
  const quoted = await (diff
    ? quoteAnnotations(diff, annotations)
    : annotations.map((annotation) => ({ annotation })));
  const said = complete ? [] : quoted;
  const text = feedbackText({ feedback: feedback ?? "", annotations: said, ...namesOf(diff, rules) });
  return {
    decision: {
      kind: "feedback",
      ...(feedback === undefined ? {} : { feedback }),
      annotations,
      ...(agentSwitch === undefined ? {} : { agentSwitch }),
      ...(approved ? { approved } : {}),
      text: agentSwitch === undefined ? text : `${text}\n\nContinue as the agent "${agentSwitch}".`,
    },
    quoted,
    warnings:
      wanted !== undefined && agentSwitch === undefined
        ? [`agentSwitch was ignored: an agent of the kind ${rules.origin} cannot be told`]
        : [],
  };
}

function namesOf(
  diff: DiffLease | undefined,
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
