import { OWN_MARK } from "./file-edits/own-file.ts";

/** Description of the review command in an agent's list of commands. */
export const REVIEW_COMMAND = "Review the changes in the browser and bring the notes back here";

/**
 * Returns the prompt of a command whose agent inserts a shell command's output. `output` is the placeholder in the
 * agent's own notation; `command` is how the agent's shell runs Sallyport.
 */
export function promptWithNotes(command: string, output: string): string {
  return `The person has just reviewed the changes in this repository in the browser. This is what they wrote:

${output}

Address every point. If it says that no feedback was provided, change nothing and say so. If it is empty or was cut off,
run \`${command} review last\` and use its output instead.
`;
}

/** Returns a skill with which the model runs the review itself; `how` adds instructions for running it. */
export function reviewSkill(command: string, how = ""): string {
  return `---
name: sallyport-review
description: Let the person review the changes in this repository in the browser, and address the notes. Use when the person asks for a review in the browser or names Sallyport.
---
<!-- ${OWN_MARK} -->
1. Run \`${command} review code\`${how} and wait until it ends, however long the person takes.
2. Address every point of what it prints. If it says that no feedback was provided, change nothing and say so.
3. If it was cut off, run \`${command} review last\` and use its output instead.
`;
}
