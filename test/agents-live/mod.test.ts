import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBench } from "./support/bench.ts";
import { claudeCodeDriver } from "./support/drivers/claude-code.ts";
import { type ModelRequest, type Reply, startModelFake } from "./support/model-fake.ts";
import { withPlugin } from "./support/packages.ts";
import { program, versionOf } from "./support/programs.ts";
import { holds, PLAN } from "./support/rehearsal.ts";
import { decide, joinLiveReview, openPlan } from "./support/reviewer.ts";
import { openTerminal } from "./support/terminal.ts";

const name = "claude-code";
const called = (what: string) => `${name} ${versionOf(name)}, the mod in its terminal: ${what}`;
const FEEDBACK = "Größer 🚀, not <smaller>.";
const base = withPlugin(claudeCodeDriver(name), "sallyport-mod");

/** A session of Claude Code in a terminal, with the mod installed. */
async function startSession(options: string, turn: (request: ModelRequest) => Reply) {
  const model = await startModelFake((request) => (request.hasTools ? turn(request) : { text: "A title" }));
  onTestFinished(() => model.close());
  const bench = await createBench({ ...base.variables(model.url), TERM: "xterm-256color" });
  await mkdir(join(bench.home, ".claude"));
  const state = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ["test-key"], rejected: [] },
    projects: { [bench.repository]: { hasTrustDialogAccepted: true } },
  };
  await writeFile(join(bench.home, ".claude.json"), JSON.stringify(state));
  await base.install?.(bench);
  const terminal = openTerminal(bench, `'${program(name)}' ${options}`);
  onTestFinished(() => bench.stop());
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await delay(100);
  };
  return { bench, model, terminal, until, shows: (text: string) => hasText(terminal.screen(), text) };
}

/** Returns whether a screen shows a text. The program moves the cursor instead of drawing spaces. */
function hasText(screen: string, text: string): boolean {
  const drawn = screen.replace(/\u001b\[[0-9;?>]*[A-Za-z]/g, "").replace(/\s/g, "");
  return drawn.includes(text.replace(/\s/g, ""));
}

/** Writes the plan, presents it, and presents it again when a message asks for it. */
function present(request: ModelRequest): Reply {
  const { toolResults, raw } = request;
  if (toolResults === 0) {
    const path = /(\/[^\s"\\]*\/plans\/[\w-]+\.md)/.exec(raw)?.[1];
    return path
      ? { calls: [{ name: "Write", input: { file_path: path, content: PLAN } }] }
      : { text: "No file." };
  }
  const leave = { calls: [{ name: "ExitPlanMode", input: {} }] };
  if (toolResults === 1) return leave;
  if (toolResults === 2 && holds([request], "The person approved the plan")) return leave;
  return { text: "Done." };
}

describe("the mod", () => {
  it(called("a plan is reviewed while the session continues, and an approved plan passes"), async () => {
    const { bench, model, shows, until } = await startSession(
      "--permission-mode plan 'Make a plan.'",
      present,
    );
    const seen = await openPlan(bench.reviewUrl);
    expect(seen.plan).toBe(PLAN);
    // The turn ends before the person has decided, and the status line shows the review.
    await until(() => model.requests.some((request) => holds([request], "open for review in the browser")));
    await until(() => shows(`plan review at http://localhost:${new URL(bench.reviewUrl).port}`));
    await decide(bench.reviewUrl, "approve", { planSave: { enabled: false } });
    await until(() => model.requests.some(({ toolResults }) => toolResults >= 3));
    expect(holds(model.requests, "The person approved the plan in the browser.")).toBe(true);
    expect(holds(model.requests, "User has approved your plan")).toBe(true);
  });

  it(called("a denial arrives as a message"), async () => {
    const { bench, model, until } = await startSession("--permission-mode plan 'Make a plan.'", present);
    await openPlan(bench.reviewUrl);
    await until(() => model.requests.some((request) => holds([request], "open for review in the browser")));
    await decide(bench.reviewUrl, "deny", { feedback: FEEDBACK });
    await until(() => holds(model.requests, FEEDBACK));
  });

  it(called("/sallyport opens a diff without a model turn, and comments arrive as a message"), async () => {
    const { bench, model, terminal, shows, until } = await startSession("", () => ({ text: "Done." }));
    await writeFile(join(bench.repository, "size.ts"), "export const size = 1;\n");
    await until(() => shows("auto mode on"));
    let isOpen = false;
    const joined = joinLiveReview(bench.reviewUrl).then((person) => {
      isOpen = true;
      return person;
    });
    await terminal.press("/sallyport\r", () => isOpen);
    const person = await joined;
    await until(() => shows("sallyport-mod: review at http://localhost:"));
    expect(model.requests.filter(({ hasTools }) => hasTools)).toEqual([]);
    await person.comment("size.ts", 1, FEEDBACK);
    await person.send();
    await until(() => holds(model.requests, FEEDBACK));
    await person.finish();
  });
});
