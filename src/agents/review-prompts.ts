import { OWN_MARK } from "./file-edits/own-file.ts";

/** What a command of an agent's is said to do, in its list of commands. */
export const REVIEW_COMMAND = "Review the changes in the browser and bring the notes back here";

/**
 * The prompt of a command whose agent puts a shell command's output into it: `output` is that place, in the agent's own
 * notation; `command` is how its shell runs us.
 */
export function promptWithNotes(command: string, output: string): string {
  return `The person has just reviewed the changes in this repository in the browser. This is what they wrote:

${output}

Address every point. If it says that no feedback was provided, change nothing and say so. If it is empty or was cut off,
run \`${command} review last\` and go by what that prints.
`;
}

/** A skill by which the model runs the review itself; `how` it has to, beyond waiting for the end. */
export function reviewSkill(command: string, how = ""): string {
  return `---
name: sallyport-review
description: Let the person review the changes in this repository in the browser, and address the notes. Use when the person asks for a review in the browser or names Sallyport.
---
<!-- ${OWN_MARK} -->
1. Run \`${command} review code\`${how} and wait until it ends, however long the person takes.
2. Address every point of what it prints. If it says that no feedback was provided, change nothing and say so.
3. If it was cut off, run \`${command} review last\` and go by what that prints.
`;
}
