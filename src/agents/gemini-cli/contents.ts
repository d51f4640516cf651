import { HOOK_TIMEOUT_SECONDS } from "../own-command.ts";
import { promptWithOutput, REVIEW_COMMAND, startLine } from "../review-prompts.ts";

/**
 * Returns the hook that runs `line` when Gemini CLI leaves plan mode. The hook's timeout is in milliseconds.
 */
export function geminiHook(line: string) {
  return {
    type: "command",
    name: "sallyport",
    command: line,
    timeout: HOOK_TIMEOUT_SECONDS * 1000,
  } as const;
}

/**
 * Time limit of one `review wait`, in seconds: Gemini CLI ends a shell command that has printed nothing for five
 * minutes.
 */
const WAIT_SECONDS = 240;

/** Returns the file of the command /sallyport-review. `mark` is the line that `uninstall` recognizes, or empty. */
export function reviewCommand(command: string, mark: string): string {
  const reviewer = { command, agent: "gemini-cli", waitSeconds: WAIT_SECONDS };
  return `${mark}description = "${REVIEW_COMMAND}"
prompt = '''
${promptWithOutput(reviewer, `!{${startLine(reviewer, "{{args}}")}}`)}'''
`;
}
