import { planHook } from "../own-command.ts";
import {
  jsonFile,
  MANIFEST,
  mcpServer,
  NEEDS_COMMAND,
  type PluginPackage,
  readme,
} from "../packages/plugin-package.ts";
import { geminiHook, reviewCommand } from "./contents.ts";

/** The extension for Gemini CLI (docs/extensions/reference.md in its package). Tested with 0.61.0. */
export const geminiExtension: PluginPackage = {
  id: "gemini-cli",
  format: "Gemini CLI extension",
  agents: "Gemini CLI",
  gives: "plan review when it leaves plan mode; /sallyport-review; the MCP tools",
  files: (target) => [
    jsonFile("gemini-extension.json", {
      name: MANIFEST.name,
      version: target.version,
      description: MANIFEST.description,
      mcpServers: { sallyport: mcpServer(target) },
    }),
    jsonFile("hooks/hooks.json", {
      hooks: {
        BeforeTool: [
          {
            matcher: "exit_plan_mode",
            hooks: [geminiHook(planHook({ command: target.command, live: false }, target.platform))],
          },
        ],
      },
    }),
    { path: "commands/sallyport-review.toml", content: reviewCommand(target.command, "") },
    readme("Sallyport for Gemini CLI", [
      "This extension opens every plan in your browser when Gemini CLI leaves plan mode. You comment on lines, edit the plan, " +
        "approve or deny, and Gemini gets your comments. `/sallyport-review` opens the changes of the repository and lets " +
        "Gemini handle your comments round by round. The MCP server gives it the tools of `sallyport mcp`.",
      NEEDS_COMMAND,
      "Install it with `gemini extensions install FOLDER`; remove it with `gemini extensions uninstall sallyport`. Use either " +
        "the extension or `sallyport install gemini-cli`: with both, each plan opens twice.",
    ]),
  ],
  install: (folder) => [`gemini extensions install ${folder}/plugins/gemini-cli`],
};
