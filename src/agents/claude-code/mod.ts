import { jsonFile, MANIFEST, NEEDS_COMMAND, type PluginPackage, readme } from "../packages/plugin-package.ts";
import { modSource } from "./mod-source.ts";

/**
 * A mod is a plugin whose hooks run inside Claude Code:
 * https://code.claude.com/docs/en/plugins/mods/reference. Claude Code 2.1.287 and later load mods; tested
 * with 2.1.332.
 */
export const claudeCodeMod: PluginPackage = {
  id: "claude-code-mod",
  format: "Claude Code mod",
  agents: "Claude Code 2.1.287 and later, its VS Code extension, Claude Desktop",
  gives:
    "plan review while the session continues; /sallyport without a model turn; the URL in the status line",
  files: (target) => [
    jsonFile(".claude-plugin/plugin.json", {
      ...MANIFEST,
      name: "sallyport-mod",
      description: "Review plans and diffs in the browser while the session continues.",
      version: target.version,
    }),
    jsonFile("hooks/hooks.json", { modules: ["./register.js"] }),
    { path: "hooks/register.js", content: modSource(target.argv) },
    readme("Sallyport mod for Claude Code", [
      "This mod opens every plan in your browser when Claude Code leaves plan mode, and the session continues: the " +
        "status line shows the URL, you can keep typing, and your decision reaches Claude as a message. `/sallyport` opens the " +
        "changes of the repository for review without a model turn; each batch of comments that you send is a message to " +
        "Claude.",
      "It needs Claude Code 2.1.287 or later. In a session without a user interface (`claude -p`, the SDK), Claude waits " +
        "for your decision, as with the plugin.",
      NEEDS_COMMAND,
      "Install it with `claude plugin marketplace add FOLDER` and `claude plugin install sallyport-mod@sallyport`; remove it " +
        "with `claude plugin uninstall sallyport-mod@sallyport`. Use only one of the mod, the plugin `sallyport` and " +
        "`sallyport install claude-code`.",
    ]),
  ],
  install: (folder) => [
    `claude plugin marketplace add ${folder}`,
    "claude plugin install sallyport-mod@sallyport",
  ],
};
