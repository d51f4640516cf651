import { editorLink } from "../../config/editor-link.ts";
import { processEnvironment } from "../../config/paths.ts";
import { createCodeMode } from "../../review/code/mode.ts";
import { createRoundStore } from "../../review/code/rounds/round-store.ts";
import type { ReviewMode } from "../../review/context.ts";
import { createDiffSession } from "../../review/git/diff-session.ts";
import type { Repository } from "../../review/git/repository.ts";
import type { ReviewOptions } from "./options.ts";

/**
 * Creates the mode of a code review. `paths` are relative to the repository's root. Loaded once the URL has been
 * printed.
 */
export function codeModeOf(
  repository: Repository,
  paths: readonly string[],
  { dataDirectory, json }: ReviewOptions,
): ReviewMode {
  return createCodeMode({
    diffs: createDiffSession(repository, paths),
    rounds: createRoundStore(dataDirectory, repository.root),
    editorLink: editorLink(processEnvironment),
    json,
  });
}
