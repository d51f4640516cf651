import { join } from "node:path";
import { toRealPath } from "../../files/real-path.ts";
import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { readText } from "../file-edits/changes.ts";
import { findOwnHook, jsonHook } from "../file-edits/json-hook.ts";
import { ownFile } from "../file-edits/own-file.ts";
import { HOOK_TIMEOUT_SECONDS, planHook } from "../own-command.ts";
import { reviewSkill } from "../review-prompts.ts";

/** The list of Stop hooks in `hooks.json`. */
const STOP_HOOKS = ["hooks", "Stop"];

/**
 * The installation in Codex CLI, tested with 0.171.0. Codex CLI has no tool for plans: the Stop hook finds the plan in
 * the transcript.
 */
export const install: ReviewInstall = {
  gives: "plan review when a turn in plan mode ends; the skill sallyport-review for a live review of a diff",
  edits: (target) => [
    jsonHook({
      path: join(codexFolder(target), "hooks.json"),
      purpose: "review every plan when the turn that made it ends",
      list: STOP_HOOKS,
      matcher: "",
      hook: {
        type: "command",
        command: planHook(target),
        timeout: HOOK_TIMEOUT_SECONDS,
      },
    }),
    ownFile(
      join(codexFolder(target), "skills", "sallyport-review", "SKILL.md"),
      "the skill sallyport-review",
      reviewSkill({
        command: target.command,
        agent: "codex",
        waitSeconds: 3_500,
        howToWait: " and poll it until it exits,",
        howToRun: " outside the sandbox (it connects to localhost)",
      }),
    ),
  ],
  notes: [
    "Codex runs a new hook only after you trust it: start codex and confirm it when it asks (or under /hooks).",
  ],
  async findProblem(target) {
    const read = async (path: string) => (await readText(path).catch(() => "")) ?? "";
    const hooksFile = join(codexFolder(target), "hooks.json");
    const position = findOwnHook(await read(hooksFile), STOP_HOOKS);
    const configuration = await read(join(userFolder(target), "config.toml"));
    // Codex resolves the links in $CODEX_HOME, and keeps those in the home folder.
    const isTrusted = [hooksFile, toRealPath(hooksFile)].some(
      (path) => position && wasEverTrusted(configuration, `${path}:stop:${position.entry}:${position.hook}`),
    );
    if (isTrusted) return undefined;
    return {
      detail: "hook installed, but Codex does not run it yet",
      remedy: "Start codex and trust the hook when it asks (or under /hooks).",
    };
  },
};

/** Returns Codex's configuration folder of the person or the project. */
export function codexFolder(target: InstallTarget): string {
  return target.project === undefined ? userFolder(target) : join(target.project, ".codex");
}

function userFolder({ home, environment }: InstallTarget): string {
  return environment["CODEX_HOME"] || join(home, ".codex");
}

/**
 * Reports whether the person has ever trusted a hook. Codex stores this in the person's config.toml, also for a
 * project's hooks, under the key `[hooks.state."<path of hooks.json>:stop:<entry>:<hook>"]` (0.171.0). A hook that
 * changed since then still has the key, but is not trusted. TOML writes a key with backslashes in single quotes, or
 * with the backslashes doubled.
 */
function wasEverTrusted(configToml: string, key: string): boolean {
  return configToml.includes(JSON.stringify(key)) || configToml.includes(`'${key}'`);
}
