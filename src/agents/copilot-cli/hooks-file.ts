import { HOOK_TIMEOUT_SECONDS } from "../own-command.ts";

/** Returns the content of a file with Copilot CLI's hooks, which run `line` when the agent leaves plan mode. */
export function copilotHooks(line: string, platform: NodeJS.Platform, comment?: string): object {
  const [shell, command] = platform === "win32" ? ["powershell", `& ${line}`] : ["bash", line];
  const hook = {
    type: "command",
    matcher: "exit_plan_mode",
    [shell]: command,
    timeoutSec: HOOK_TIMEOUT_SECONDS,
  };
  // The second hook sends the text that an approval cannot carry.
  return { version: 1, comment, hooks: { preToolUse: [hook], postToolUse: [hook] } };
}
