import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook } from "../own-command.ts";
import { promptWithOutput, REVIEW_COMMAND, startLine } from "../review-prompts.ts";

/** The package's docs/hooks/reference.md and docs/cli/custom-commands.md; formats tested with Gemini CLI 0.61.0. */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; /sallyport-review for a live review of a diff",
  edits: (target) => [
    jsonHook({
      path: join(geminiFolder(target), "settings.json"),
      purpose: "review every plan before it is carried out",
      list: ["hooks", "BeforeTool"],
      matcher: "exit_plan_mode",
      hook: {
        type: "command",
        name: "sallyport",
        command: planHook(target),
        timeout: HOOK_TIMEOUT_SECONDS * 1000,
      },
    }),
    ownFile(
      join(geminiFolder(target), "commands", "sallyport-review.toml"),
      "the command /sallyport-review",
      reviewCommand(target.command),
    ),
  ],
  notes: ["Gemini CLI asks once before /sallyport-review runs a shell command."],
};

/** Returns Gemini CLI's configuration folder of the person or the project. */
export function geminiFolder({ home, project, environment }: InstallTarget): string {
  return join(project ?? (environment["GEMINI_CLI_HOME"] || home), ".gemini");
}

/**
 * Time limit of one `review wait`, in seconds: Gemini CLI ends a shell command that has printed nothing for five
 * minutes.
 */
const WAIT_SECONDS = 240;

function reviewCommand(command: string): string {
  const reviewer = { command, agent: "gemini-cli", waitSeconds: WAIT_SECONDS };
  return `# ${OWN_MARK}
description = "${REVIEW_COMMAND}"
prompt = '''
${promptWithOutput(reviewer, `!{${startLine(reviewer, "{{args}}")}}`)}'''
`;
}
