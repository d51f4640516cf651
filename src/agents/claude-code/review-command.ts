import { livePrompt, REVIEW_COMMAND } from "../review-prompts.ts";

/**
 * Returns a slash command whose prompt makes the model run the review, because Claude Code allows only two minutes for
 * a command that it runs itself. `mark` is the line by which `uninstall` recognizes the file, or empty.
 */
export function reviewCommand({
  command,
  waitSeconds,
  mark,
}: {
  readonly command: string;
  readonly waitSeconds: number;
  readonly mark: string;
}): string {
  const reviewer = {
    command,
    agent: "claude-code",
    waitSeconds,
    howToWait: ` in the foreground with a timeout of ${(waitSeconds + 100) * 1_000} ms`,
  };
  return `---
description: ${REVIEW_COMMAND}
argument-hint: "[path...]"
allowed-tools: Bash(${command} review:*)
---
${mark}${livePrompt(reviewer, "--origin claude-code $ARGUMENTS")}`;
}
