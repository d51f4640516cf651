import { reviewSkill } from "../review-prompts.ts";
import {
  NEEDS_COMMAND,
  type PackageFile,
  type PackageTarget,
  type PluginPackage,
  readme,
} from "./plugin-package.ts";

/** Maximum seconds of one `review wait`, because many agents end a command after two minutes. */
const WAIT_SECONDS = 100;

/** Returns the skill for agents without an integration. https://agentskills.io/specification */
export function portableSkill({ command }: PackageTarget): PackageFile {
  return {
    path: "skills/sallyport-review/SKILL.md",
    content: reviewSkill({ command, agent: "agent", waitSeconds: WAIT_SECONDS }, ""),
  };
}

export const agentSkill: PluginPackage = {
  id: "agent-skill",
  format: "Agent Skills",
  agents: "every agent that reads SKILL.md",
  gives: "the skill sallyport-review for a live review of a diff",
  files: (target) => [
    portableSkill(target),
    readme("Sallyport: Agent Skill", [
      "`skills/sallyport-review/SKILL.md` teaches an agent to review changes together with you in the browser: it opens " +
        "the review, waits for your comments, changes the code, replies in the threads and shows you the new state.",
      NEEDS_COMMAND,
      "Copy the folder `sallyport-review` into your agent's folder for skills, such as `~/.agents/skills`, " +
        "`~/.claude/skills`, `~/.codex/skills`, `~/.copilot/skills` or `~/.cursor/skills`. Delete the copy to remove the " +
        "skill.",
    ]),
  ],
  install: (folder) => [
    `mkdir -p ~/.agents/skills && cp -r ${folder}/plugins/agent-skill/skills/sallyport-review ~/.agents/skills/`,
  ],
};
