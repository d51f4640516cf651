import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Bench, createBench, run, sallyport } from "./support/bench.ts";
import { clineVariables, installInCline, prepareCline, runCline } from "./support/drivers/cline.ts";
import { type ModelRequest, type Reply, startModelFake } from "./support/model-fake.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN } from "./support/rehearsal.ts";
import { joinLiveReview, openPlan, postAsPage } from "./support/reviewer.ts";

/** Plans of agents whose hooks and plugins cannot wait for a person: they are reviewed through `sallyport mcp`. */
const REVISED = "# Plan, revised: «ß»\n\n1. Read.\n";
const FEEDBACK = `> Read \`src/\`.\n\nNot there: **lib**. 👩‍👩‍👧 — שלום\u2028\ttab, $HOME, \\back, "quotes" </tag> & <system-reminder>`;
/** "Begin. " has 7 characters, and each line 16. */
const LONG = `Begin. ${"01234 größer 🚀\n".repeat(55_189)}The end, 1 MiB later.`;
const NOTE = "Approved, but keep the old flag.";

describe("cline", () => {
  const called = (what: string) => `cline ${versionOf("cline")}: ${what}`;

  it(called("two rounds of a plan, in its plan mode"), async () => {
    const { model, bench, ended } = await plan((id) => [
      ["review_plan", { plan: PLAN }],
      ["wait_for_feedback", { id }],
      ["review_plan", { plan: REVISED, id }],
      ["wait_for_feedback", { id }],
    ]);
    try {
      const seen = await openPlan(bench.reviewUrl);
      expect(seen).toMatchObject({ plan: PLAN, caller: { name: expect.stringMatching(/cline/i) } });
      expect(holds(model.requests, "review_plan` with the whole plan")).toBe(true);
      await postAsPage(bench.reviewUrl, "/api/send", { feedback: FEEDBACK });
      await expect.poll(async () => (await openPlan(bench.reviewUrl)).plan).toBe(REVISED);
      expect(holds(model.requests, asJson(FEEDBACK))).toBe(true);
      await postAsPage(bench.reviewUrl, "/api/finish", { approved: true, feedback: NOTE });
      await ended;
      expect(holds(model.requests.slice(-1), "The reviewer approved")).toBe(true);
      expect(holds(model.requests.slice(-1), NOTE)).toBe(true);
    } finally {
      await model.close();
    }
  });

  it(called("a mebibyte of feedback"), async () => {
    const { model, bench, ended } = await plan((id) => [
      ["review_plan", { plan: PLAN }],
      ["wait_for_feedback", { id }],
    ]);
    try {
      await openPlan(bench.reviewUrl);
      await postAsPage(bench.reviewUrl, "/api/send", { feedback: LONG });
      await ended;
      const path = /the end is missing here; it is in ([^\s\]]+\.md)/.exec(
        model.requests.at(-1)?.raw ?? "",
      )?.[1];
      expect(holds(model.requests, asJson(LONG.slice(0, 7 + 16 * 250)))).toBe(true);
      expect(await readFile(path ?? "", "utf8")).toContain(LONG);
    } finally {
      await model.close();
    }
  });

  it(called("a plan that the person changed, as suggestions"), async () => {
    const { model, bench, ended } = await plan((id) => [
      ["review_plan", { plan: PLAN }],
      ["wait_for_feedback", { id }],
    ]);
    try {
      await openPlan(bench.reviewUrl);
      const start = PLAN.indexOf("Read");
      const anchor = { kind: "plan", start, end: PLAN.indexOf("\n2.") };
      const suggestion = {
        anchor,
        type: "suggestion",
        markdown: "Reword it.",
        suggestedCode: "Read «ß» first.",
      };
      await postAsPage(bench.reviewUrl, "/api/threads", suggestion);
      await postAsPage(bench.reviewUrl, "/api/finish", { approved: true });
      await ended;
      expect(holds(model.requests.slice(-1), "The reviewer approved")).toBe(true);
      expect(holds(model.requests.slice(-1), "Read «ß» first.")).toBe(true);
    } finally {
      await model.close();
    }
  });

  it(called("two rounds of a live review of a diff"), async () => {
    const { model, bench, start } = await prepare((id, thread) => [
      ["review_code", {}],
      ["wait_for_feedback", { id }],
      ["reply", { id, thread, markdown: "Renamed.", resolve: true }],
      ["refresh", { id }],
      ["wait_for_feedback", { id }],
      ["reply", { id, thread, markdown: "Exported." }],
      ["refresh", { id }],
      ["wait_for_feedback", { id }],
    ]);
    try {
      const file = join(bench.repository, "size.ts");
      await writeFile(file, "export const size = 1;\n");
      const ended = start("Review the changes with me in the browser.");
      const person = await joinLiveReview(bench.reviewUrl);
      expect(holds(model.requests, "call `review_code`")).toBe(true);
      await person.comment("size.ts", 1, FEEDBACK);
      await writeFile(file, "export const größe = 2;\n");
      await person.send();
      const first = await person.reply("Renamed.", "resolved");
      expect(first.resolvedBy).toMatchObject({ kind: "agent", name: expect.stringMatching(/cline/i) });
      await person.diffWith("größe = 2");
      expect(holds(model.requests, asJson(FEEDBACK))).toBe(true);
      await person.comment("size.ts", 1, NOTE);
      await person.send();
      expect((await person.reply("Exported.", "open")).round).toBe(2);
      expect(holds(model.requests, NOTE)).toBe(true);
      await person.finish();
      await ended;
      expect(holds(model.requests.slice(-1), "The reviewer approved")).toBe(true);
    } finally {
      await model.close();
    }
  });

  it(called("that is killed leaves its review open, and a later session fetches the feedback"), async () => {
    const { model, bench, start } = await prepare((id) => [
      ["review_plan", { plan: PLAN }],
      ["wait_for_feedback", { id }],
    ]);
    try {
      const killed = start("Make a plan.");
      await expect.poll(() => agentState(bench)).toBe("waiting");
      bench.stop();
      await killed;
      await expect.poll(() => agentState(bench)).toBe("gone");
      await postAsPage(bench.reviewUrl, "/api/send", { feedback: FEEDBACK });
      expect(holds(model.requests, asJson(FEEDBACK))).toBe(false);
      const { stdout } = await run(bench, [...sallyport, "review", "list", "--json"]);
      const [review] = JSON.parse(stdout).reviews;
      model.follow(() => [["wait_for_feedback", { id: review.id }]]);
      await start("Fetch the feedback.");
      expect(holds(model.requests, asJson(FEEDBACK))).toBe(true);
    } finally {
      await model.close();
    }
  });
});

type Call = readonly [tool: string, input: object];

/** Returns the calls, one a turn. The ids are empty until they are known. */
type Script = (id: string, thread: string) => readonly Call[];

/** Sets Cline up with a model that makes the calls of a script. */
async function prepare(first: Script) {
  let script = first;
  const model = await startModelFake((request) => nextTurn(request, script));
  const bench = await createBench(clineVariables);
  await prepareCline(bench, model.url);
  await installInCline(bench);
  const follow = (next: Script) => {
    script = next;
  };
  return { model: { ...model, follow }, bench, start: (prompt: string) => runCline(bench, [prompt]) };
}

/** Starts Cline in plan mode with a model that makes the calls of a script. */
async function plan(script: Script) {
  const { model, bench } = await prepare(script);
  return { model, bench, ended: runCline(bench, ["-p", "Make a plan."]) };
}

function nextTurn({ raw, toolResults, hasTools }: ModelRequest, script: Script): Reply {
  const id = /The review ([0-9a-z]{12}) is open/.exec(raw)?.[1] ?? "";
  const thread = [...raw.matchAll(/Thread `(t_\w+)`/g)].at(-1)?.[1] ?? "";
  const [tool, input] = script(id, thread)[toolResults] ?? [];
  return tool === undefined || !hasTools
    ? { text: "Done." }
    : { calls: [{ name: `sallyport__${tool}`, input: input ?? {} }] };
}

/** Cline gives its model a tool's result as JSON. */
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Returns the state of the agent that the page shows. */
async function agentState({ reviewUrl }: Bench): Promise<string | undefined> {
  return (await openPlan(reviewUrl)).live?.agent.state;
}
