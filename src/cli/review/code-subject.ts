import { editorLink } from "../../config/editor-link.ts";
import { processEnvironment } from "../../config/paths.ts";
import { asksForChanges, createCodeMode, feedbackJson } from "../../review/code/mode.ts";
import { createRoundStore } from "../../review/code/rounds/round-store.ts";
import { codeDecision } from "../../review/decision.ts";
import { createDiffDesk } from "../../review/git/diff-desk.ts";
import type { Repository } from "../../review/git/repository.ts";
import type { ReviewSubject } from "./run.ts";

export interface CodeToReview {
  readonly repository: Repository;
  /** From the repository's top; none means all of it. */
  readonly paths: readonly string[];
  readonly dataDirectory: string;
  /** Whether the decision is told as JSON. */
  readonly json: boolean;
}

/** The changes in a repository as what is under review. */
export function codeSubject({ repository, paths, dataDirectory, json }: CodeToReview): ReviewSubject {
  return {
    mode: createCodeMode({
      diffs: createDiffDesk(repository, paths),
      rounds: createRoundStore(dataDirectory, repository.root),
      editorLink: editorLink(processEnvironment),
    }),
    print: (decision) => (json ? JSON.stringify(feedbackJson(decision)) : codeDecision(decision).text),
    isObjection: asksForChanges,
  };
}
