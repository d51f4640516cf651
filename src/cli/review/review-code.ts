import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { editorLink } from "../../config/editor-link.ts";
import { processEnvironment } from "../../config/paths.ts";
import { AppError } from "../../errors.ts";
import { asksForChanges, createCodeMode, feedbackJson } from "../../review/code/create-code-mode.ts";
import { createRoundStore } from "../../review/code/round-store.ts";
import { codeDecision } from "../../review/decision.ts";
import { createDiffDesk } from "../../review/git/diff-desk.ts";
import { openRepository } from "../../review/git/repository.ts";
import { nameOfOrigin } from "../../review/hooks/generic.ts";
import type { Output } from "../output.ts";
import type { ReviewFlags } from "../program.ts";
import { type ReviewJob, runReview } from "./run-review.ts";
import { workplaceOf } from "./workplace.ts";

export interface ReviewCodeFlags extends ReviewFlags {
  readonly repo?: string;
}

/** `sallyport review code [PATH...]`; resolves to the exit code. */
export function reviewCode(
  paths: readonly string[],
  flags: ReviewCodeFlags,
  output: Output,
): Promise<number> {
  return runReview(() => prepareJob(paths, flags), flags, output);
}

async function prepareJob(paths: readonly string[], flags: ReviewCodeFlags): Promise<ReviewJob> {
  const given = resolve(flags.repo ?? ".");
  // git names the repository with links resolved; paths can only be told to be in it from the same point of view.
  const directory = await realpath(given).catch(() => given);
  const found = await workplaceOf(flags, directory);
  const repository = await openRepository(directory, processEnvironment);
  const workplace = { ...found, project: repository.root };
  const { origin = "origin_b" } = workplace.settings;
  const mode = createCodeMode({
    diffs: createDiffDesk(repository, pathsWithin(repository.root, directory, paths)),
    rounds: createRoundStore(workplace.dataDirectory, repository.root),
    editorLink: editorLink(processEnvironment),
  });
  return {
    workplace,
    mode,
    origin,
    caller: {
      name: workplace.settings.origin === undefined ? "the command line" : nameOfOrigin(origin),
      cwd: directory,
      project: repository.name,
      approvalNote: "feedback",
      takesEditedPlan: false,
      takesPermissionMode: false,
      takesAgentSwitch: origin === "origin_b",
    },
    sharingEnabled: workplace.settings.environment.sharing,
    print: (decision) => (flags.json ? JSON.stringify(feedbackJson(decision)) : codeDecision(decision).text),
    isObjection: asksForChanges,
  };
}

/** Paths as the person gave them, made relative to the repository's top. Throws `usage` for one outside. */
function pathsWithin(root: string, directory: string, paths: readonly string[]): string[] {
  return paths.map((path) => {
    const inner = relative(root, resolve(directory, path));
    if (inner === ".." || inner.startsWith(`..${sep}`)) {
      throw new AppError("usage", `${path} is not inside the repository ${root}`);
    }
    return inner === "" ? "." : inner.split(sep).join("/");
  });
}
