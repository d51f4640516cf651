import { join } from "node:path";
import type { Agent, Place } from "./agent.ts";
import { jsonHook } from "./json-hook.ts";
import { OWN_MARK, ownFile } from "./own-file.ts";

/** Four days, in seconds: a person may sleep over a plan. Claude Code's own default is one minute. */
const TIMEOUT_SECONDS = 345_600;

/** https://code.claude.com/docs/en/hooks; formats as Claude Code 2.1.197 and 2.1.329 obey them. */
export const claudeCode: Agent = {
  id: "claude-code",
  name: "Claude Code",
  program: "claude",
  gives: "plan review when it leaves plan mode; /sallyport-review for a diff",
  edits: (place) => [
    jsonHook({
      path: join(claudeFolder(place), "settings.json"),
      purpose: "review every plan before it is carried out",
      list: ["hooks", "PermissionRequest"],
      matcher: "ExitPlanMode",
      hook: { type: "command", command: `${place.command} review plan`, timeout: TIMEOUT_SECONDS },
    }),
    ownFile(
      join(claudeFolder(place), "commands", "sallyport-review.md"),
      "the command /sallyport-review",
      reviewCommand(place.command),
    ),
  ],
  notes: ["Sessions that are running pick the hook up when they are started anew."],
};

/** Where Claude Code keeps what belongs to the person, or to the project. */
export function claudeFolder({ home, project, environment }: Place): string {
  if (project !== undefined) return join(project, ".claude");
  return environment["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
}

function reviewCommand(command: string): string {
  return `---
description: Review the changes in the browser and bring the notes back here
argument-hint: "[path...]"
allowed-tools: Bash(${command} review:*)
---
<!-- ${OWN_MARK} -->
The person has just reviewed the changes in this repository in the browser. This is what they wrote:

!\`${command} review code --origin claude-code $ARGUMENTS\`

Address every point. If it says that no feedback was provided, change nothing and say so. If it is empty or was cut off,
run \`${command} review last\` and go by what that prints.
`;
}
