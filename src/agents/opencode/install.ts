import { join } from "node:path";
import type { Agent, Place } from "../agent.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";
import { promptWithNotes, REVIEW_COMMAND } from "../review-prompts.ts";
import { pluginSource } from "./plugin-source.ts";

/** Formats as OpenCode 1.18.33 loads them: plugins/*.js and commands/*.md in its configuration folders. */
export const openCode: Agent = {
  id: "opencode",
  name: "OpenCode",
  program: "opencode",
  gives: "the tool submit_plan with plan review and agent switch; /sallyport-review for a diff",
  edits: (place) => [
    ownFile(
      join(openCodeFolder(place), "plugins", "sallyport.js"),
      "the tool submit_plan",
      pluginSource(place.words),
    ),
    ownFile(
      join(openCodeFolder(place), "commands", "sallyport-review.md"),
      "the command /sallyport-review",
      reviewCommand(place.command),
    ),
  ],
  notes: ["Restart OpenCode to load the plugin."],
};

/** Where OpenCode keeps plugins and commands of the person, or of the project. */
export function openCodeFolder({ home, project, environment }: Place): string {
  if (project !== undefined) return join(project, ".opencode");
  return join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
}

function reviewCommand(command: string): string {
  return `---
description: ${REVIEW_COMMAND}
---
<!-- ${OWN_MARK} -->
${promptWithNotes(command, `!\`${command} review code --origin opencode $ARGUMENTS\``)}`;
}
