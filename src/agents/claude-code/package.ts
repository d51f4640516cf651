import { HOOK_TIMEOUT_SECONDS, planHook } from "../own-command.ts";
import {
  jsonFile,
  MANIFEST,
  mcpServer,
  NEEDS_COMMAND,
  type PluginPackage,
  readme,
} from "../packages/plugin-package.ts";
import { reviewSkill } from "../review-prompts.ts";
import { reviewCommand } from "./review-command.ts";

/** Maximum seconds of one `review wait`. A plugin cannot raise Claude Code's limit of ten minutes for a command. */
const WAIT_SECONDS = 500;

/** The plugin for Claude Code: https://code.claude.com/docs/en/plugins-reference. Tested with 2.1.332. */
export const claudeCodePlugin: PluginPackage = {
  id: "claude-code",
  format: "Claude Code plugin",
  agents: "Claude Code",
  gives: "plan review when it leaves plan mode; /sallyport:review; the skill sallyport-review; the MCP tools",
  files: (target) => [
    jsonFile(".claude-plugin/plugin.json", { ...MANIFEST, version: target.version }),
    jsonFile("hooks/hooks.json", {
      description: "Opens every plan for review before it is carried out",
      hooks: {
        PermissionRequest: [
          {
            matcher: "ExitPlanMode",
            hooks: [
              {
                type: "command",
                command: planHook({ command: target.command, live: false }, target.platform),
                timeout: HOOK_TIMEOUT_SECONDS,
              },
            ],
          },
        ],
      },
    }),
    {
      path: "commands/review.md",
      content: reviewCommand({ command: target.command, waitSeconds: WAIT_SECONDS, mark: "" }),
    },
    {
      path: "skills/sallyport-review/SKILL.md",
      content: reviewSkill(
        {
          command: target.command,
          agent: "claude-code",
          waitSeconds: WAIT_SECONDS,
          howToWait: ` in the foreground with a timeout of ${(WAIT_SECONDS + 100) * 1_000} ms`,
        },
        "",
        `Bash(${target.command} review:*)`,
      ),
    },
    jsonFile(".mcp.json", { mcpServers: { sallyport: mcpServer(target) } }),
    readme("Sallyport for Claude Code", [
      "This plugin opens every plan in your browser when Claude Code leaves plan mode. You comment on lines, edit the plan, " +
        "approve or deny, and Claude gets your comments. The dialog in the terminal stays open: the first decision counts.",
      "`/sallyport:review` opens the changes of the repository and lets Claude handle your comments round by round. The skill " +
        "`sallyport-review` does the same when you ask for a review in words, and the MCP server gives Claude the tools of " +
        "`sallyport mcp`.",
      NEEDS_COMMAND,
      "Install it with `claude plugin marketplace add FOLDER` and `claude plugin install sallyport@sallyport`; remove it with " +
        "`claude plugin uninstall sallyport@sallyport`. Use only one of the plugin, the mod `sallyport-mod` and " +
        "`sallyport install claude-code`: with two of them, each plan opens twice.",
    ]),
  ],
  install: (folder) => [
    `claude plugin marketplace add ${folder}`,
    "claude plugin install sallyport@sallyport",
  ],
};
