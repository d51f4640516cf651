import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Bench, createBench, install, run } from "./support/bench.ts";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { openCodeDriver } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { type ModelRequest, type Reply, startModelFake } from "./support/model-fake.ts";
import { commandOf, program, versionOf } from "./support/programs.ts";
import { holds } from "./support/rehearsal.ts";
import { joinLiveReview } from "./support/reviewer.ts";

/** The command or skill that `sallyport install` gives, in two rounds of a live review. */
const FIRST = 'Name it «größe» 🚀, not `size`; "quotes", $HOME and 100 %.';
const SECOND = "Export it as a constant, <b>not</b> a variable.";

interface CodeReviewer {
  readonly driver: Driver;
  readonly command: readonly string[];
  /** The agent's name in the review. */
  readonly author: string;
  /** Returns the model's call of the agent's shell. */
  readonly shell: (line: string) => { readonly name: string; readonly input: object };
  /** The calls before the shell's, for example of a skill. */
  readonly before?: readonly { readonly name: string; readonly input: object }[];
  /** Whether the agent opens the review itself and inserts the output, before its model reads the command. */
  readonly isOpened?: true;
}

/** A minute: the person of these tests decides at once. */
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
  [
    "opencode",
    () => ({
      driver: openCodeDriver,
      command: [program("opencode"), "run", "-m", "fake/fake-model", "--command", "sallyport-review"],
      author: "opencode",
      shell: (line) => ({ ...bash(line), name: "bash" }),
      isOpened: true,
    }),
  ],
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

/**
 * Returns what the model does next: it follows the steps of the prompt, with the lines that the prompt gives, for two
 * rounds of feedback.
 */
function nextTurn({ raw, toolResults }: ModelRequest, reviewer: CodeReviewer): Reply {
  const { before = [], shell, isOpened } = reviewer;
  const call = before[toolResults];
  if (call) return { calls: [call] };
  const open = /Run `([^`]+ review code --live[^`]*?) ?`/.exec(raw)?.[1];
  const [, command, timeout] = /Run `([^`]+ review) wait --id ID --timeout (\d+)`/.exec(raw) ?? [];
  const id = /\bid\\*":\\*"([0-9a-z]{12})/.exec(raw)?.[1];
  const threads = [...raw.matchAll(/Thread `(t_\w+)`/g)].map(([, thread]) => thread);
  const reply = `${command} reply ${threads.at(-1)} --id ${id} --author ${reviewer.author} --text`;
  const lines = [
    ...(isOpened ? [] : [open]),
    `${command} wait --id ${id} --timeout ${timeout}`,
    `${reply} 'Renamed.' --resolve`,
    `${command} refresh --id ${id}`,
    `${command} wait --id ${id} --timeout ${timeout}`,
    `${reply} 'Exported.'`,
    `${command} refresh --id ${id}`,
    `${command} wait --id ${id} --timeout ${timeout}`,
  ];
  const line = lines[toolResults - before.length];
  return line === undefined || command === undefined
    ? { text: command === undefined ? "The steps were not shown." : "Done." }
    : { calls: [shell(line)] };
}

const writeSize = ({ repository }: Bench, text: string) => writeFile(join(repository, "size.ts"), text);

describe.each(reviewers)("%s", (name, load) => {
  it(`${name} ${versionOf(name)}: two rounds of a live review`, async () => {
    const reviewer = load();
    const { driver, author } = reviewer;
    const model = await startModelFake((request) =>
      request.hasTools ? nextTurn(request, reviewer) : { text: "A title" },
    );
    try {
      const bench = await createBench(driver.variables(model.url));
      await driver.prepare(bench, model.url);
      await install(bench, driver.agent);
      await writeSize(bench, "export const size = 1;\n");
      const ended = run(bench, reviewer.command);
      const early = ended.then(({ stdout, stderr }) =>
        Promise.reject(new Error(`ended early:\n${stdout}${stderr}`)),
      );
      early.catch(() => {});
      const during = <Result>(step: Promise<Result>) => Promise.race([step, early]);

      const person = await during(joinLiveReview(bench.reviewUrl));
      // The model of this test edits nothing: the files change with the person's batch, before the agent refreshes.
      await person.comment("size.ts", 1, FIRST);
      await writeSize(bench, "export const größe = 2;\n");
      await person.send();
      const first = await during(person.reply("Renamed.", "resolved"));
      expect(first).toMatchObject({ round: 1, resolvedBy: { kind: "agent", name: author } });
      await during(person.diffWith("größe = 2"));

      await person.comment("size.ts", 1, SECOND);
      await person.send();
      const second = await during(person.reply("Exported.", "open"));
      expect(second.round).toBe(2);
      await person.finish();
      const { code, stdout, stderr } = await ended;
      expect(code, stdout + stderr).toBe(0);

      // What the model received at the wire, in this order.
      const rounds = [FIRST, SECOND, "The reviewer approved"].map((text) =>
        model.requests.findIndex((request) => holds([request], text)),
      );
      expect(rounds).not.toContain(-1);
      expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
      expect(new Set(rounds).size).toBe(3);
      expect(holds(model.requests, "export const size = 1;")).toBe(true);
      expect(holds(model.requests, "export const größe = 2;")).toBe(true);
    } finally {
      await model.close();
    }
  });
});
