import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook } from "../own-command.ts";
import { reviewSkill } from "../review-prompts.ts";

/** Formats tested with Copilot CLI 1.0.102. A project's hooks run once its folder is trusted. */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; the skill sallyport-review for a live review of a diff",
  edits: (target) => [
    ownFile(
      join(copilotFolder(target), "hooks", "sallyport.json"),
      "review every plan before it is carried out",
      hooksFile(target),
    ),
    ownFile(
      join(copilotFolder(target), "skills", "sallyport-review", "SKILL.md"),
      "the skill sallyport-review",
      reviewSkill({
        command: target.command,
        agent: "copilot",
        waitSeconds: 280,
        howToWait: " in sync mode with an initial wait of 300 s",
      }),
    ),
  ],
  notes: ["Copilot CLI shows its own menu in the terminal after you have approved a plan."],
};

/** Returns Copilot CLI's configuration folder of the person or the project. */
function copilotFolder({ home, project, environment }: InstallTarget): string {
  if (project !== undefined) return join(project, ".github");
  return environment["COPILOT_HOME"] || join(home, ".copilot");
}

function hooksFile(target: InstallTarget): string {
  const [shell, line] =
    process.platform === "win32" ? ["powershell", `& ${planHook(target)}`] : ["bash", planHook(target)];
  const hook = {
    type: "command",
    matcher: "exit_plan_mode",
    [shell]: line,
    timeoutSec: HOOK_TIMEOUT_SECONDS,
  };
  // The second hook sends the text that an approval cannot carry.
  const hooks = { preToolUse: [hook], postToolUse: [hook] };
  return `${JSON.stringify({ version: 1, comment: OWN_MARK, hooks }, null, 2)}\n`;
}
