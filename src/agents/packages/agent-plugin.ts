import { copilotHooks } from "../copilot-cli/hooks-file.ts";
import { planHook } from "../own-command.ts";
import { portableSkill } from "./agent-skill.ts";
import {
  jsonFile,
  MANIFEST,
  mcpServer,
  NEEDS_COMMAND,
  type PluginPackage,
  readme,
} from "./plugin-package.ts";

const SCHEMAS = "https://agent-plugins.org/schemas/1.0.0";

/**
 * The Agent Plugins 1.0.0 package: https://agent-plugins.org. The folder `com.github.copilot` has the parts that the
 * format leaves to each client; Copilot CLI 1.0.102 runs the hooks in it.
 */
export const agentPlugin: PluginPackage = {
  id: "agent-plugin",
  format: "Agent Plugins 1.0.0",
  agents: "Copilot CLI, Codex CLI, VS Code, Cursor, Kiro",
  gives: "the skill sallyport-review and the MCP tools; in Copilot CLI also plan review",
  files: (target) => [
    jsonFile("plugin.json", {
      $schema: `${SCHEMAS}/plugin.schema.json`,
      name: MANIFEST.name,
      version: target.version,
      description: MANIFEST.description,
      author: MANIFEST.author,
      license: MANIFEST.license,
      keywords: ["code-review", "plan-review", "mcp"],
    }),
    jsonFile("mcp.json", {
      $schema: `${SCHEMAS}/mcp.schema.json`,
      mcpServers: { sallyport: { type: "stdio", ...mcpServer(target) } },
    }),
    portableSkill(target),
    jsonFile(
      "com.github.copilot/hooks/hooks.json",
      copilotHooks(planHook({ command: target.command, live: false }, target.platform), target.platform),
    ),
    readme("Sallyport: Agent Plugin", [
      "This folder is an [Agent Plugin](https://agent-plugins.org) for Copilot CLI, Codex CLI, VS Code, Cursor, Kiro and " +
        "other clients of the format. It gives the agent the skill `sallyport-review` and the tools of `sallyport mcp`, with " +
        "which you review its changes and plans in the browser. In Copilot CLI, its hooks also open every plan for " +
        "review when the agent leaves plan mode.",
      NEEDS_COMMAND,
      "Install it with the commands of your agent, for example `copilot plugin marketplace add FOLDER` and " +
        "`copilot plugin install sallyport@sallyport`, or `codex plugin marketplace add FOLDER` and `codex plugin add " +
        "sallyport@sallyport`. FOLDER is the folder that contains `.claude-plugin/marketplace.json`. If `sallyport install` " +
        "has already set up the same agent, run `sallyport uninstall AGENT` first: with both, Copilot CLI opens " +
        "each plan twice.",
    ]),
  ],
  install: (folder) => [
    `copilot plugin marketplace add ${folder} && copilot plugin install sallyport@sallyport`,
    `codex plugin marketplace add ${folder} && codex plugin add sallyport@sallyport`,
  ],
};
