import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBench, install, run } from "./support/bench.ts";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { codexDriver } from "./support/drivers/codex.ts";
import { copilotDriver } from "./support/drivers/copilot-cli.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { openCodeDriver } from "./support/drivers/opencode.ts";
import { qwenCodeDriver } from "./support/drivers/qwen-code.ts";
import { type ModelRequest, type Reply, startModelFake } from "./support/model-fake.ts";
import { commandOf, program, versionOf } from "./support/programs.ts";
import { openReview, sendFeedback } from "./support/reviewer.ts";

/** The command or skill that `sallyport install` gives: the diff is reviewed, and the model reads what was written. */
const COMMENT = 'Name it «größe» 🚀, not `size`; "quotes", $HOME and 100 %.';

interface CodeReviewer {
  readonly driver: Driver;
  readonly command: readonly string[];
  /** Where the model has to start the review itself. */
  readonly turn?: (request: ModelRequest) => Reply;
}

const claude = (name: string): CodeReviewer => ({
  driver: claudeCodeDriver(name),
  command: [program(name), "-p", "/sallyport-review", "--setting-sources", "user"],
  turn({ raw, toolResults }) {
    const [, line, timeout] =
      /Run `([^`]+?) ?` with the Bash tool.*? timeout of\\n +(\d+) ms/.exec(raw) ?? [];
    if (toolResults > 0 || !line) return { text: line ? "Done." : "The command was not shown." };
    return {
      calls: [{ name: "Bash", input: { command: line, timeout: Number(timeout), description: "Review" } }],
    };
  },
});

const reviewers: readonly CodeReviewer[] = [
  claude("claude-code"),
  claude("claude-code-earlier"),
  {
    driver: openCodeDriver,
    command: [program("opencode"), "run", "-m", "fake/fake-model", "--command", "sallyport-review"],
  },
  {
    driver: geminiCliDriver,
    command: [program("gemini-cli"), "-p", "/sallyport-review", "--yolo", "-m", "gemini-2.5-pro"],
  },
  ...["qwen-code", "qwen-code-earlier"].map((name) => ({
    driver: qwenCodeDriver(name),
    command: [...commandOf(name), "-p", "/sallyport-review", "--yolo"],
  })),
  {
    driver: copilotDriver,
    command: [program("copilot"), "-p", "Use the skill sallyport-review.", "--allow-all"],
    turn({ raw, toolResults }) {
      if (toolResults === 0) return { calls: [{ name: "skill", input: { skill: "sallyport-review" } }] };
      const line = /Run `([^`]+ review code)`/.exec(raw)?.[1];
      if (toolResults > 1 || !line) return { text: line ? "Done." : "The skill was not shown." };
      return {
        calls: [
          {
            name: "bash",
            input: { command: line, description: "Review", mode: "sync", initial_wait: 300 },
          },
        ],
      };
    },
  },
  {
    driver: codexDriver,
    command: [
      ...[program("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      "$sallyport-review",
    ],
    turn({ raw, toolResults }) {
      const line = /Run `([^`]+ review code)`/.exec(raw)?.[1];
      if (toolResults > 0 || !line) return { text: line ? "Done." : "The skill was not shown." };
      return { calls: [{ name: "exec_command", input: { cmd: line, yield_time_ms: 60_000 } }] };
    },
  },
];

describe.each(reviewers.map((reviewer) => [reviewer.driver.program, reviewer] as const))(
  "%s",
  (name, reviewer) => {
    it(`${name} ${versionOf(name)}: a diff's feedback`, async () => {
      const { driver, turn = () => ({ text: "Done." }) } = reviewer;
      const model = await startModelFake((request) =>
        request.hasTools ? turn(request) : { text: "A title" },
      );
      try {
        const bench = await createBench(driver.variables(model.url));
        await driver.prepare(bench, model.url);
        await install(bench, driver.agent);
        await writeFile(join(bench.repository, "size.ts"), "export const size = 1;\n");
        const ended = run(bench, reviewer.command);
        const early = ended.then(({ stdout, stderr }) =>
          Promise.reject(new Error(`no review:\n${stdout}${stderr}`)),
        );
        const diff = await Promise.race([openReview(bench.reviewUrl), early]);
        expect(diff.rawPatch).toContain("+export const size = 1;");
        const at = { filePath: "size.ts", lineStart: 1, lineEnd: 1, side: "new" };
        await sendFeedback(bench.reviewUrl, {
          annotations: [{ id: "1", type: "comment", ...at, text: COMMENT }],
        });
        const { code, stdout, stderr } = await ended;
        expect(code, stdout + stderr).toBe(0);
        const bodies = model.requests.flatMap(({ body }) => JSON.stringify(body));
        expect(bodies.some((body) => body.includes(JSON.stringify(COMMENT).slice(1, -1)))).toBe(true);
        expect(bodies.some((body) => body.includes("export const size = 1;"))).toBe(true);
      } finally {
        await model.close();
      }
    });
  },
);
