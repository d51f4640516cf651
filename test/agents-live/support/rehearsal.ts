import { type Bench, createBench, install } from "./bench.ts";
import type { Driver } from "./drivers/driver.ts";
import { type ModelRequest, type Reply, startModelFake } from "./model-fake.ts";
import { openPlan, type SeenPlan } from "./reviewer.ts";

export const PLAN = '# Plan: größer 🚀\n\n1. Read `src/`.\n2. Write "it".\n';

/** An agent that has presented its plan and waits for the person. */
export interface Rehearsal {
  readonly bench: Bench;
  /** The state that the page shows. */
  readonly seen: SeenPlan;
  /** The requests to the model so far, after the decision. */
  readonly requestsAfter: readonly ModelRequest[];
  /** All requests to the model so far. */
  readonly requests: readonly ModelRequest[];
  /** Resolves to the agent's output once it has finished. */
  readonly ended: Promise<string>;
}

/** Runs an agent until it presents `PLAN` (or the model's output from `turn`), then lets the test act. */
export async function rehearse<Result>(
  driver: Driver,
  act: (rehearsal: Rehearsal) => Promise<Result>,
  turn: (request: ModelRequest) => Reply = (request) => driver.turn(request, PLAN),
): Promise<Result> {
  const requestsAfter: ModelRequest[] = [];
  const model = await startModelFake((request) => {
    if (!request.hasTools) return { text: "A title" };
    if (driver.isAfterDecision(request)) requestsAfter.push(request);
    return turn(request);
  });
  try {
    const bench = await createBench(driver.variables(model.url));
    await driver.prepare(bench, model.url);
    await (driver.install?.(bench) ?? install(bench, driver.agent));
    const ended = driver.start(bench);
    const early = ended.then((printed) =>
      Promise.reject(new Error(`ended without a review:\n${printed.slice(-3000)}`)),
    );
    const seen = await Promise.race([openPlan(bench.reviewUrl), early]);
    early.catch(() => {});
    return await act({ bench, seen, requestsAfter, requests: model.requests, ended });
  } finally {
    await model.close();
  }
}

/**
 * Returns a model that presents `PLAN` and, once it has received the feedback, presents `revised` by the same steps.
 * The feedback must be a text that no agent escapes.
 */
export function presentAgain(
  driver: Driver,
  feedback: string,
  revised: string,
): (request: ModelRequest) => Reply {
  let before: number | undefined;
  return (request) => {
    if (before === undefined && holds([request], feedback)) before = request.toolResults;
    if (before === undefined) return driver.turn(request, PLAN);
    // Without the hook's prompt, a driver's steps begin again.
    const raw = request.raw.replaceAll("hook_prompt", "");
    return driver.turn({ ...request, raw, toolResults: request.toolResults - before }, revised, PLAN);
  };
}

/** Returns whether one text of the requests contains the whole given text. */
export function holds(requests: readonly ModelRequest[], wanted: string): boolean {
  return requests.flatMap(({ body }) => textsIn(body)).some((text) => text.includes(wanted));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
