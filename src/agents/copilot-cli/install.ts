import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { planHook } from "../own-command.ts";
import { reviewSkill } from "../review-prompts.ts";
import { copilotHooks } from "./hooks-file.ts";

/** The installation in Copilot CLI, tested with 1.0.102. A project's hooks run once its folder is trusted. */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; the skill sallyport-review for a live review of a diff",
  edits: (target) => [
    ownFile(
      join(copilotFolder(target), "hooks", "sallyport.json"),
      "review every plan before it is carried out",
      `${JSON.stringify(copilotHooks(planHook(target), process.platform, OWN_MARK), null, 2)}\n`,
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
