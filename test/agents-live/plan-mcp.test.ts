import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createBench } from "./support/bench.ts";
import { clineVariables, installInCline, planWithCline, prepareCline } from "./support/drivers/cline.ts";
import { type ModelRequest, type Reply, startModelFake } from "./support/model-fake.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN } from "./support/rehearsal.ts";
import { openPlan } from "./support/reviewer.ts";

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
      await asPerson(bench.reviewUrl, "/api/send", { feedback: FEEDBACK });
      await expect.poll(async () => (await openPlan(bench.reviewUrl)).plan).toBe(REVISED);
      expect(holds(model.requests, asJson(FEEDBACK))).toBe(true);
      await asPerson(bench.reviewUrl, "/api/finish", { approved: true, feedback: NOTE });
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
      await asPerson(bench.reviewUrl, "/api/send", { feedback: LONG });
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
});

type Call = readonly [tool: string, input: object];

/** Starts Cline with a model that makes these calls, one a turn. `calls` gets the review's id once it is known. */
async function plan(calls: (id: string) => readonly Call[]) {
  const model = await startModelFake((request) => nextTurn(request, calls));
  const bench = await createBench(clineVariables);
  await prepareCline(bench, model.url);
  await installInCline(bench);
  return { model, bench, ended: planWithCline(bench) };
}

function nextTurn(
  { raw, toolResults, hasTools }: ModelRequest,
  calls: (id: string) => readonly Call[],
): Reply {
  const id = /The review ([0-9a-z]{12}) is open/.exec(raw)?.[1] ?? "";
  const [tool, input] = calls(id)[toolResults] ?? [];
  return tool === undefined || !hasTools
    ? { text: "Done." }
    : { calls: [{ name: `sallyport__${tool}`, input: input ?? {} }] };
}

/** Cline gives its model a tool's result as JSON. */
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

async function asPerson(url: string, path: string, body: object): Promise<void> {
  const origin = `http://localhost:${new URL(url).port}`;
  const headers = { origin, "content-type": "application/json" };
  const response = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(200);
}
