import { OWN_MARK } from "./file-edits/own-file.ts";

/** Description of the review command in an agent's list of commands. */
export const REVIEW_COMMAND = "Open the changes for review in the browser, and handle the comments";

/** The facts about an agent that the prompts of a live review contain, such as its name and how its shell waits. */
export interface LiveReviewer {
  /** The command that runs Sallyport. */
  readonly command: string;
  /** The agent's name, as the page shows it. */
  readonly agent: string;
  /** Seconds that one `review wait` may take in the agent's shell. */
  readonly waitSeconds: number;
  /** The instruction that makes the agent's shell wait that long, such as " with a timeout of 600000 ms". */
  readonly howToWait?: string | undefined;
  /** The instruction that lets a command reach the review. */
  readonly howToRun?: string | undefined;
}

/** Returns the command line that reuses the open live review or, if none is open, opens one. */
export function startLine({ command, agent }: Pick<LiveReviewer, "command" | "agent">, args = ""): string {
  return `${command} review code --live --detach --reuse --agent ${agent}${args === "" ? "" : ` ${args}`}`;
}

/** Returns the prompt with which the model opens the review itself. `args` stands for the person's arguments. */
export function livePrompt(reviewer: LiveReviewer, args = ""): string {
  const { howToRun = "" } = reviewer;
  return `Review the changes in this repository together with the person, who sees them in the browser.

1. Run \`${startLine(reviewer, args)}\`${howToRun}. It returns at once and
   prints the \`id\` and \`url\` of the review. Tell the person the URL.
${nextSteps(reviewer)}`;
}

/**
 * Returns a prompt into which the agent inserts the output of a shell command. `output` is the placeholder in the
 * agent's own notation.
 */
export function promptWithOutput(reviewer: LiveReviewer, output: string): string {
  return `Review the changes in this repository together with the person, who sees them in the browser.

1. The review is open. This is its \`id\` and \`url\`; tell the person the URL:

${output}

${nextSteps(reviewer)}`;
}

/** The comment that marks a file as written by `sallyport install`. */
const INSTALLED = `<!-- ${OWN_MARK} -->\n`;

/**
 * Returns a skill with which the model runs the review. `mark` is empty for a file that an agent installs itself.
 * `allowedTools` are the tools that the agent runs without asking.
 */
export function reviewSkill(reviewer: LiveReviewer, mark = INSTALLED, allowedTools?: string): string {
  return `---
name: sallyport-review
description: Review the changes in this repository together with the person in the browser. Use when the person asks for a review in the browser or names Sallyport.
${allowedTools === undefined ? "" : `allowed-tools: ${allowedTools}\n`}---
${mark}${livePrompt(reviewer)}`;
}

function nextSteps({ command, agent, waitSeconds, howToWait = "", howToRun = "" }: LiveReviewer): string {
  return `2. Run \`${command} review wait --id ID --timeout ${waitSeconds}\`${howToWait}${howToRun}, with the review's id instead of ID. It
   prints what the person wrote. Exit code 124 means that the person has not sent anything yet: run it again, as
   often as needed.
3. Handle every thread that it prints: change the code, or answer. Then reply in each one:
   \`${command} review reply THREAD --id ID --author ${agent} --text TEXT\`, with \`--resolve\` if the thread is settled.
   \`--text -\` reads a longer reply from stdin.
4. Run \`${command} review refresh --id ID\`, so that the person sees your changes, and go back to step 2.
5. Stop when \`review wait\` prints that the reviewer approved or that the review has ended. Handle what it prints, then say
   what you did. Let the person end the review.

If the output of \`review wait\` was cut off, \`${command} review wait --id ID --again\` prints it again.
`;
}
