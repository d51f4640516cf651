import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { planHook } from "../own-command.ts";
import { geminiHook, reviewCommand } from "./contents.ts";

/**
 * The installation in Gemini CLI (docs/hooks/reference.md and docs/cli/custom-commands.md in its package). Tested with
 * 0.61.0.
 */
export const install: ReviewInstall = {
  gives: "plan review when it leaves plan mode; /sallyport-review for a live review of a diff",
  edits: (target) => [
    jsonHook({
      path: join(geminiFolder(target), "settings.json"),
      purpose: "review every plan before it is carried out",
      list: ["hooks", "BeforeTool"],
      matcher: "exit_plan_mode",
      hook: geminiHook(planHook(target)),
    }),
    ownFile(
      join(geminiFolder(target), "commands", "sallyport-review.toml"),
      "the command /sallyport-review",
      reviewCommand(target.command, `# ${OWN_MARK}\n`),
    ),
  ],
  notes: ["Gemini CLI asks once before /sallyport-review runs a shell command."],
};

/** Returns Gemini CLI's configuration folder of the person or the project. */
export function geminiFolder({ home, project, environment }: InstallTarget): string {
  return join(project ?? (environment["GEMINI_CLI_HOME"] || home), ".gemini");
}
