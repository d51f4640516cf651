import { describe, it } from "vitest";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { kiloDriver, openCodeDriver } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { commandOf, program, versionOf } from "./support/programs.ts";
import { type CodeReviewer, reviewTwoRounds } from "./support/two-rounds.ts";

/** Runs the command or skill that `sallyport install` adds, for two rounds of a live review. */
/** One minute is enough, because the simulated person decides immediately. */
const SHELL_MS = 60_000;
const bash = (line: string) => ({
  name: "Bash",
  input: { command: line, timeout: SHELL_MS, description: "Review" },
});

const claude = (name: string): CodeReviewer => ({
  driver: claudeCodeDriver(name),
  command: [program(name), "-p", "/sallyport-review", "--setting-sources", "user"],
  author: "claude-code",
  shell: bash,
});

const reviewers: readonly (readonly [name: string, load: () => CodeReviewer])[] = [
  ["claude-code", () => claude("claude-code")],
  ["claude-code-earlier", () => claude("claude-code-earlier")],
  ...[openCodeDriver, kiloDriver].map((driver): readonly [string, () => CodeReviewer] => [
    driver.program,
    () => ({
      driver,
      command: [program(driver.program), "run", "-m", "fake/fake-model", "--command", "sallyport-review"],
      author: driver.agent,
      shell: (line) => ({ ...bash(line), name: "bash" }),
      isOpened: true,
    }),
  ]),
  [
    "gemini-cli",
    () => ({
      driver: geminiCliDriver,
      command: [program("gemini-cli"), "-p", "/sallyport-review", "--yolo", "-m", "gemini-2.5-pro"],
      author: "gemini-cli",
      shell: (command) => ({ name: "run_shell_command", input: { command, description: "Review" } }),
      isOpened: true,
    }),
  ],
  ...["qwen-code", "qwen-code-earlier"].map((name): readonly [string, () => CodeReviewer] => [
    name,
    () => ({
      driver: qwenCodeDriver(name),
      command: [...commandOf(name), "-p", "/sallyport-review", "--yolo"],
      author: "qwen",
      shell: (command) => ({
        name: "run_shell_command",
        input: { command, is_background: false, timeout: SHELL_MS, description: "Review" },
      }),
      isOpened: true,
    }),
  ]),
  [
    "copilot",
    () => ({
      driver: copilotDriver,
      command: [program("copilot"), "-p", "Use the skill sallyport-review.", "--allow-all"],
      author: "copilot",
      before: [{ name: "skill", input: { skill: "sallyport-review" } }],
      shell: (command) => ({
        name: "bash",
        input: { command, description: "Review", mode: "sync", initial_wait: 60 },
      }),
    }),
  ],
  [
    "codex",
    () => ({
      driver: codexDriver,
      command: [
        ...[program("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
        "$sallyport-review",
      ],
      author: "codex",
      shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: SHELL_MS } }),
    }),
  ],
];

describe.each(reviewers)("%s", (name, load) => {
  it(`${name} ${versionOf(name)}: two rounds of a live review`, async () => {
    await reviewTwoRounds(load());
  });
});
