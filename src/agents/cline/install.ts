import { join } from "node:path";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { jsonMembers } from "../file-edits/json-members.ts";
import { OWN_MARK, ownFile } from "../file-edits/own-file.ts";

/** Timeout of one tool call in Cline, in seconds: one day, because a call can wait for the person's feedback. */
const CALL_SECONDS = 86_400;

/**
 * The installation in Cline CLI: https://docs.cline.bot/getting-started/config. Tested with 3.0.65. Cline's hooks and
 * its plugins' tools may run for at most a minute, so a rule instructs the model in every session to submit its plans
 * through `sallyport mcp`.
 */
export const install: ReviewInstall = {
  gives: "MCP tools for live reviews of plans and diffs, and a rule that has every plan reviewed",
  isMcp: true,
  edits: (target) => [
    jsonMembers(mcpSettings(target), "the MCP server sallyport", [
      [["mcpServers", "sallyport"], mcpServer(target)],
    ]),
    ownFile(join(clineFolder(target), "rules", "sallyport.md"), "the rule that has plans reviewed", RULE),
  ],
  notes: ["The VS Code extension of Cline reads the rule, but has separate MCP settings."],
};

function mcpServer({ argv: [command = "sallyport", ...args] }: InstallTarget) {
  return { command, args: [...args, "mcp"], timeout: CALL_SECONDS };
}

function mcpSettings(target: InstallTarget): string {
  const { CLINE_MCP_SETTINGS_PATH: path } = target.environment;
  return path || join(clineData(target), "settings", "cline_mcp_settings.json");
}

function clineFolder({ home, environment }: InstallTarget): string {
  return environment["CLINE_DIR"] || join(home, ".cline");
}

/** Returns the folder of Cline's settings. */
export function clineData(target: InstallTarget): string {
  return target.environment["CLINE_DATA_DIR"] || join(clineFolder(target), "data");
}

const RULE = `<!-- ${OWN_MARK} -->
The person reviews plans and changes in the browser, with the tools of the MCP server \`sallyport\`.

When a plan is complete, in plan mode or before you carry it out:

1. Call \`review_plan\` with the whole plan as Markdown. Tell the person the URL in the result.
2. Call \`wait_for_feedback\` with the review's id, again and again until it returns an event. Do not end your turn before.
3. Feedback: revise the plan accordingly, call \`review_plan\` with the revised plan and the same id, and go back to step 2.
   Approval: the person has approved the plan; carry it out, with the notes in the result. Any other end: ask the person.

When the person asks for a review of the changes in the browser: call \`review_code\` and \`wait_for_feedback\`, handle each
thread, answer it with \`reply\`, call \`refresh\`, and wait again until the person approves or the review ends.
`;
