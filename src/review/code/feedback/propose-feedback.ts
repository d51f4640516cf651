import { checkOffered } from "../../agents.ts";
import type { AgentOrigin, AgentsResponse, CodeAnnotation, FeedbackBody } from "../../api-types.ts";
import type { CodeDecision } from "../../decision.ts";
import type { DiffLease } from "../../diff-session.ts";
import { findFile } from "../../git/file-text.ts";
import { readKnownLines } from "../../known-lines.ts";
import { locateInNotebook } from "../../notebook/locate-in-notebook.ts";
import { type FeedbackParts, feedbackText, linesMeant, type QuotedAnnotation } from "./feedback-text.ts";

export interface FeedbackRules {
  readonly origin: AgentOrigin;
  readonly agents: AgentsResponse["agents"];
  readonly repository: string;
}

export interface ProposedFeedback {
  readonly decision: CodeDecision;
  readonly quoted: readonly QuotedAnnotation[];
  readonly warnings: readonly string[];
}

/**
 * Returns the decision that a body requests, with the text for the agent. Throws `validation` for an agent that is
 * not offered. If the caller cannot switch agents, `agentSwitch` is ignored with a warning.
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
  // The diff is undefined if it could not be created, or not in time. Feedback is still sent, without quoted code.
  const quoted = await (diff
    ? quoteAnnotations(diff, annotations)
    : annotations.map((annotation) => ({ annotation })));
  const listed = complete ? [] : quoted;
  const text = feedbackText({ feedback: feedback ?? "", annotations: listed, ...getNames(diff, rules) });
  return {
    decision: {
      kind: "feedback",
      feedback,
      annotations,
      agentSwitch,
      approved: approved || undefined,
      text: agentSwitch === undefined ? text : `${text}\n\nContinue as the agent "${agentSwitch}".`,
    },
    quoted,
    warnings:
      wanted !== undefined && agentSwitch === undefined
        ? [`agentSwitch was ignored: agents of the kind ${rules.origin} cannot receive it`]
        : [],
  };
}

function getNames(
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

/** Finds the code that each annotation refers to. Code that is not found is left out. Never rejects. */
async function quoteAnnotations(
  diff: DiffLease,
  annotations: readonly CodeAnnotation[],
): Promise<QuotedAnnotation[]> {
  const texts = new Map<string, Promise<readonly string[]>>();
  const readLinesOnce = ({ filePath, side }: CodeAnnotation) => {
    const key = `${side}\0${filePath}`;
    const known = texts.get(key) ?? readLines(diff, filePath, side);
    texts.set(key, known);
    return known;
  };
  return Promise.all(
    annotations.map(async (annotation): Promise<QuotedAnnotation> => {
      const { filePath, side } = annotation;
      const [first, last] = linesMeant(annotation);
      const lines = (await readLinesOnce(annotation)).slice(Math.max(0, first - 1), last);
      const oldPath = findFile(diff.snapshot, filePath, side)?.oldPath;
      return {
        annotation,
        ...(lines.length === 0 ? {} : { code: lines.join("\n") }),
        oldPath,
        cell: await locateInNotebook(diff, filePath, side, { lineStart: first, lineEnd: last }),
      };
    }),
  );
}

async function readLines(diff: DiffLease, path: string, side: "old" | "new"): Promise<readonly string[]> {
  try {
    return (await readKnownLines(diff, path, side)).map((line) => line ?? "");
  } catch {
    return [];
  }
}
