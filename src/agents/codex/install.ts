import { join } from "node:path";
import type { Agent, Place } from "../agent.ts";
import { jsonHook } from "../file-edits/json-hook.ts";
import { ownFile } from "../file-edits/own-file.ts";
import { PATIENCE_SECONDS, planHook } from "../own-command.ts";
import { reviewSkill } from "../review-prompts.ts";

/** Formats as Codex CLI 0.169.0 obeys them. It has no tool for plans: the Stop hook finds the plan in the transcript. */
export const codex: Agent = {
  id: "codex",
  name: "Codex CLI",
  program: "codex",
  gives: "plan review when a turn in plan mode ends; the skill sallyport-review for a diff",
  edits: (place) => [
    jsonHook({
      path: join(codexFolder(place), "hooks.json"),
      purpose: "review every plan when the turn that made it ends",
      list: ["hooks", "Stop"],
      matcher: "",
      hook: {
        type: "command",
        command: planHook(place.command),
        timeout: PATIENCE_SECONDS,
      },
    }),
    ownFile(
      join(codexFolder(place), "skills", "sallyport-review", "SKILL.md"),
      "the skill sallyport-review",
      reviewSkill(place.command, " outside the sandbox (it opens a page on localhost)"),
    ),
  ],
  notes: [
    "Codex runs a new hook only after you trust it: start codex and confirm it when it asks (or under /hooks).",
  ],
};

/** Where Codex keeps what belongs to the person, or to the project. */
export function codexFolder({ home, project, environment }: Place): string {
  if (project !== undefined) return join(project, ".codex");
  return environment["CODEX_HOME"] || join(home, ".codex");
}
