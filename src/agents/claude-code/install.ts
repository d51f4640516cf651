import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { combined } from "../file-edits/combined-edit.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { jsonDefaults } from "../file-edits/json-members.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook } from "../own-command.ts";
import { reviewCommand } from "./review-command.ts";

/**
 * Maximum seconds of one `review wait`. The model must request a timeout that is 100 s longer; see
 * `BASH_MAX_TIMEOUT_MS` below.
 */
const WAIT_SECONDS = 3_500;

/** The installation in Claude Code: https://code.claude.com/docs/en/hooks. Tested with 2.1.197 and 2.1.332. */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; /sallyport-review for a live review of a diff",
  edits: (target) => {
    const settings = join(claudeFolder(target), "settings.json");
    const reviewing = "review every plan before it is carried out";
    return [
      combined(settings, reviewing, [
        jsonHook({
          path: settings,
          purpose: reviewing,
          list: ["hooks", "PermissionRequest"],
          matcher: "ExitPlanMode",
          hook: {
            type: "command",
            command: planHook(target),
            timeout: HOOK_TIMEOUT_SECONDS,
          },
        }),
        jsonDefaults(settings, reviewing, [
          [["env", "BASH_MAX_TIMEOUT_MS"], String(HOOK_TIMEOUT_SECONDS * 1000)],
        ]),
      ]),
      ownFile(
        join(claudeFolder(target), "commands", "sallyport-review.md"),
        "the command /sallyport-review",
        reviewCommand({ command: target.command, waitSeconds: WAIT_SECONDS, mark: `<!-- ${OWN_MARK} -->\n` }),
      ),
    ];
  },
  notes: ["Restart running sessions to load the hook."],
};

/** Returns Claude Code's configuration folder of the person or the project. */
export function claudeFolder({ home, project, environment }: InstallTarget): string {
  if (project !== undefined) return join(project, ".claude");
  return environment["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
}
