import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { combined } from "../file-edits/combined-edit.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook, silenced } from "../own-command.ts";
import { promptWithNotes, REVIEW_COMMAND } from "../review-prompts.ts";

/** The package's docs/features/hooks.md and commands.md; formats as Qwen Code 0.15.10 and 0.24.4 obey them. */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; /sallyport-review for a diff",
  edits: (target) => {
    const path = join(qwenFolder(target), "settings.json");
    const purpose = "review every plan before it is carried out";
    // Whatever a hook writes to stderr without a decision, Qwen Code takes for a refusal without a reason.
    const command = silenced(planHook(target.command));
    const hookOn = (event: string) =>
      jsonHook({
        path,
        purpose,
        list: ["hooks", event],
        matcher: "exit_plan_mode",
        hook: { type: "command", name: "sallyport", command, timeout: HOOK_TIMEOUT_SECONDS * 1000 },
      });
    return [
      // The second hook brings the words that an approval has no place for.
      combined(path, purpose, [hookOn("PermissionRequest"), hookOn("PostToolUse")]),
      ownFile(
        join(qwenFolder(target), "commands", "sallyport-review.md"),
        "the command /sallyport-review",
        reviewCommand(target.command),
      ),
    ];
  },
  notes: [
    "Newer versions of Qwen Code (seen with 0.24) ask once more in the terminal after you have approved a plan.",
    "Qwen Code asks once before /sallyport-review runs a shell command.",
  ],
};

/** Where Qwen Code keeps what belongs to the person, or to the project. */
export function qwenFolder({ home, project, environment }: InstallTarget): string {
  if (project !== undefined) return join(project, ".qwen");
  return environment["QWEN_HOME"] || join(home, ".qwen");
}

function reviewCommand(command: string): string {
  return `---
description: ${REVIEW_COMMAND}
---
<!-- ${OWN_MARK} -->
${promptWithNotes(command, `!{${command} review code {{args}}}`)}`;
}
