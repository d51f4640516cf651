import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./support/bench.ts";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { putOnPath, withAgentPlugin, withExtension, withPlugin } from "./support/packages.ts";
import { program, versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide } from "./support/reviewer.ts";
import { type CodeReviewer, reviewTwoRounds } from "./support/two-rounds.ts";

const COMMENTS = 'Not there: **lib**. Größer 🚀, `code`, $HOME, \\back, "quotes" & <tag>.';

/** Plans that agents send for review because they installed a package of plugins/. */
const drivers: readonly (readonly [form: string, driver: Driver])[] = [
  ["Claude Code plugin", withPlugin(claudeCodeDriver("claude-code"), "sallyport")],
  ["Gemini CLI extension", withExtension(geminiCliDriver)],
  ["Agent Plugin in Copilot CLI", withAgentPlugin(copilotDriver)],
];

describe.each(drivers)("%s", (_form, driver) => {
  const { program: name } = driver;

  it(`${name} ${versionOf(name)}: a denial with comments reaches the model`, async () => {
    await rehearse(driver, async ({ bench, seen, requestsAfter, ended }) => {
      expect(seen.plan).toBe(PLAN);
      await decide(bench.reviewUrl, "deny", { feedback: COMMENTS });
      await ended;
      expect(holds(requestsAfter, COMMENTS)).toBe(true);
    });
  });

  it(`${name} ${versionOf(name)}: an approval lets the agent continue`, async () => {
    await rehearse(driver, async ({ bench, requestsAfter, ended }) => {
      await decide(bench.reviewUrl, "approve", {});
      await ended;
      expect(requestsAfter.length).toBeGreaterThan(0);
    });
  });
});

const SHELL_MS = 60_000;
const bash = (name: string) => (command: string) => ({
  name,
  input: { command, timeout: SHELL_MS, description: "Review" },
});
const execCommand = (cmd: string) => ({ name: "exec_command", input: { cmd, yield_time_ms: SHELL_MS } });
const codexExec = (prompt: string) => [
  ...[program("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
  prompt,
];

/** Commands and skills of the packages, in two rounds of a live review. */
const reviewers: readonly (readonly [form: string, program: string, load: () => CodeReviewer])[] = [
  [
    "Claude Code plugin, its command",
    "claude-code",
    () => ({
      driver: withPlugin(claudeCodeDriver("claude-code"), "sallyport"),
      command: [program("claude-code"), "-p", "/sallyport:review", "--setting-sources", "user"],
      author: "claude-code",
      shell: bash("Bash"),
    }),
  ],
  [
    "Claude Code plugin, its skill",
    "claude-code",
    () => ({
      driver: withPlugin(claudeCodeDriver("claude-code"), "sallyport"),
      command: [program("claude-code"), "-p", "/sallyport:sallyport-review", "--setting-sources", "user"],
      author: "claude-code",
      shell: bash("Bash"),
    }),
  ],
  [
    "Gemini CLI extension",
    "gemini-cli",
    () => ({
      driver: withExtension(geminiCliDriver),
      command: [program("gemini-cli"), "-p", "/sallyport-review", "--yolo", "-m", "gemini-2.5-pro"],
      author: "gemini-cli",
      shell: (command) => ({ name: "run_shell_command", input: { command, description: "Review" } }),
      isOpened: true,
    }),
  ],
  [
    "Agent Plugin in Copilot CLI",
    "copilot",
    () => ({
      driver: withAgentPlugin(copilotDriver),
      command: [program("copilot"), "-p", "Use the skill sallyport-review.", "--allow-all"],
      author: "agent",
      before: [{ name: "skill", input: { skill: "sallyport-review" } }],
      shell: (command) => ({
        name: "bash",
        input: { command, description: "Review", mode: "sync", initial_wait: 60 },
      }),
    }),
  ],
  [
    "Agent Plugin in Codex CLI",
    "codex",
    () => ({
      driver: withAgentPlugin(codexDriver),
      command: codexExec("$sallyport:sallyport-review"),
      author: "agent",
      shell: execCommand,
    }),
  ],
  [
    "Agent Skill in Codex CLI",
    "codex",
    () => ({
      driver: {
        ...codexDriver,
        async install(bench) {
          await putOnPath(bench);
          const skill = "skills/sallyport-review";
          await cp(join(root, "plugins/agent-skill", skill), join(bench.home, ".agents", skill), {
            recursive: true,
          });
        },
      },
      command: codexExec("$sallyport-review"),
      author: "agent",
      shell: execCommand,
    }),
  ],
];

describe.each(reviewers)("%s", (_form, name, load) => {
  it(`${name} ${versionOf(name)}: two rounds of a live review`, async () => {
    await reviewTwoRounds(load());
  });
});
