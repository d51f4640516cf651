import { join } from "node:path";
import type { ReviewInstall } from "../agent.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { promptWithOutput, REVIEW_COMMAND, startLine } from "../review-prompts.ts";
import { pluginSource } from "./plugin-source.ts";
import { type OpenCodeProgram, programFolder } from "./programs.ts";

/**
 * Returns the installation for OpenCode or a program derived from it. Formats tested with OpenCode 1.18.33 and Kilo
 * 7.7.7: plugins/*.js and commands/*.md in the program's configuration folders.
 */
export function installFor(program: OpenCodeProgram): ReviewInstall {
  return {
    gives: `the tool submit_plan with plan review${program.sendsMessages ? " and agent switch" : ""}; /sallyport-review for a live review of a diff`,
    edits: (target) => [
      ownFile(
        join(programFolder(program, target), "plugins", "sallyport.js"),
        "the tool submit_plan",
        pluginSource(target.argv, program, target.live),
      ),
      ownFile(
        join(programFolder(program, target), "commands", "sallyport-review.md"),
        "the command /sallyport-review",
        reviewCommand(program.id, target.command),
      ),
    ],
    notes: [`Restart ${program.name} to load the plugin.`],
  };
}

/** Maximum seconds of one `review wait`. The model must request a longer timeout for the command. */
const WAIT_SECONDS = 3_500;

function reviewCommand(agent: string, command: string): string {
  const reviewer = {
    command,
    agent,
    waitSeconds: WAIT_SECONDS,
    howToWait: ` with a timeout of ${(WAIT_SECONDS + 100) * 1_000} ms`,
  };
  return `---
description: ${REVIEW_COMMAND}
---
<!-- ${OWN_MARK} -->
${promptWithOutput(reviewer, `!\`${startLine(reviewer, "--origin opencode $ARGUMENTS")}\``)}`;
}
