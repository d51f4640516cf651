import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { promptWithOutput, REVIEW_COMMAND, startLine } from "../review-prompts.ts";
import { pluginSource } from "./plugin-source.ts";

/** Formats tested with OpenCode 1.18.33: plugins/*.js and commands/*.md in its configuration folders. */
export const install: ReviewInstall = {
  gives:
    "the tool submit_plan with plan review and agent switch; /sallyport-review for a live review of a diff",
  edits: (target) => [
    ownFile(
      join(openCodeFolder(target), "plugins", "sallyport.js"),
      "the tool submit_plan",
      pluginSource(target.argv, target.live),
    ),
    ownFile(
      join(openCodeFolder(target), "commands", "sallyport-review.md"),
      "the command /sallyport-review",
      reviewCommand(target.command),
    ),
  ],
  notes: ["Restart OpenCode to load the plugin."],
};

/** Returns OpenCode's folder for plugins and commands of the person or the project. */
export function openCodeFolder({ home, project, environment }: InstallTarget): string {
  if (project !== undefined) return join(project, ".opencode");
  return join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
}

/** Seconds that the model waits with one command. The model must request a timeout. */
const WAIT_SECONDS = 3_500;

function reviewCommand(command: string): string {
  const reviewer = {
    command,
    agent: "opencode",
    waitSeconds: WAIT_SECONDS,
    howToWait: ` with a timeout of ${(WAIT_SECONDS + 100) * 1_000} ms`,
  };
  return `---
description: ${REVIEW_COMMAND}
---
<!-- ${OWN_MARK} -->
${promptWithOutput(reviewer, `!\`${startLine(reviewer, "--origin opencode $ARGUMENTS")}\``)}`;
}
