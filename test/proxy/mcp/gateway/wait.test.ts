import { expect, it } from "vitest";
import { AppError } from "../../../../src/errors.ts";
import { type Repeat, repeatTask } from "../../../../src/proxy/mcp/gateway/wait.ts";

/** Repeats a task with these outcomes. Returns the seconds before each repetition. */
async function waitsBetween(...outcomes: readonly (Repeat | Error)[]): Promise<readonly number[]> {
  const left = [...outcomes];
  const waits: number[] = [];
  const task = async (): Promise<Repeat> => {
    const outcome = left.shift() ?? "never";
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  await repeatTask(task, new AbortController().signal, async (ms) => void waits.push(ms / 1000));
  return waits;
}

it("repeatTask waits longer before each repetition while the task fails", async () => {
  const lost = new AppError("upstream_cut", "the connection was lost");
  expect(await waitsBetween("later", lost, "later", "later", "later", "later", lost)).toEqual([
    1, 2, 4, 8, 16, 32, 60,
  ]);
});

it("repeatTask waits one second after each success", async () => {
  expect(await waitsBetween("later", "later", "soon", "soon", "soon")).toEqual([1, 2, 1, 1, 1]);
});

it("repeatTask waits one second before the first repetition after a success", async () => {
  expect(await waitsBetween("soon", "later", "later", "soon", "later")).toEqual([1, 1, 2, 1, 1]);
});

it("repeatTask does not repeat a task that returns `never` or fails with a TypeError", async () => {
  expect(await waitsBetween("never", "soon")).toEqual([]);
  expect(await waitsBetween("soon", new TypeError("defect"), "soon")).toEqual([1]);
});
