import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { combined } from "../file-edits/combined-edit.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook, withoutStderr } from "../own-command.ts";
import { promptWithOutput, REVIEW_COMMAND, startLine } from "../review-prompts.ts";

/**
 * The installation in Qwen Code (docs/features/hooks.md and commands.md in its package). Tested with 0.15.10 and
 * 0.24.4.
 */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; /sallyport-review for a live review of a diff",
  edits: (target) => {
    const path = join(qwenFolder(target), "settings.json");
    const purpose = "review every plan before it is carried out";
    // Qwen Code treats any stderr output without a decision as a denial without a reason.
    const command = withoutStderr(planHook(target));
    const hookOn = (event: string) =>
      jsonHook({
        path,
        purpose,
        list: ["hooks", event],
        matcher: "exit_plan_mode",
        hook: { type: "command", name: "sallyport", command, timeout: HOOK_TIMEOUT_SECONDS * 1000 },
      });
    return [
      // The second hook sends the text that an approval cannot carry.
      combined(path, purpose, [hookOn("PermissionRequest"), hookOn("PostToolUse")]),
      ownFile(
        join(qwenFolder(target), "commands", "sallyport-review.md"),
        "the command /sallyport-review",
        reviewCommand(target.command),
      ),
    ];
  },
  cannotStayLive: "it reads its hook's output for 60 seconds only",
  notes: [
    "Qwen Code 0.24 and newer ask again in the terminal after you have approved a plan.",
    "Qwen Code asks once before /sallyport-review runs a shell command.",
  ],
};

/** Returns Qwen Code's configuration folder of the person or the project. */
export function qwenFolder({ home, project, environment }: InstallTarget): string {
  if (project !== undefined) return join(project, ".qwen");
  return environment["QWEN_HOME"] || join(home, ".qwen");
}

/** Time limit of one `review wait`, in seconds: Qwen Code ends a shell command after ten minutes. */
const WAIT_SECONDS = 560;

function reviewCommand(command: string): string {
  const reviewer = {
    command,
    agent: "qwen",
    waitSeconds: WAIT_SECONDS,
    howToWait: " in the foreground with a timeout of 600000 ms",
  };
  return `---
description: ${REVIEW_COMMAND}
---
<!-- ${OWN_MARK} -->
${promptWithOutput(reviewer, `!{${startLine(reviewer, "{{args}}")}}`)}`;
}
