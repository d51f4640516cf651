import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type Bench, createBench, install, run } from "./bench.ts";
import type { Driver } from "./drivers/driver.ts";
import { type ModelRequest, type Reply, startModelFake } from "./model-fake.ts";
import { holds } from "./rehearsal.ts";
import { joinLiveReview } from "./reviewer.ts";

const FIRST = 'Name it «größe» 🚀, not `size`; "quotes", $HOME and 100 %.';
const SECOND = "Export it as a constant, <b>not</b> a variable.";

/** An agent that reviews a diff with a person, by a command or a skill. */
export interface CodeReviewer {
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

/**
 * Returns the model's next output: it follows the steps of the prompt, with the commands in the prompt, for two
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

/**
 * Runs two rounds of a live review with the real program: it opens the review, waits, replies, refreshes and waits
 * again until the approval. Both rounds are checked in the requests to its model.
 */
export async function reviewTwoRounds(reviewer: CodeReviewer): Promise<void> {
  const { driver, author } = reviewer;
  const model = await startModelFake((request) =>
    request.hasTools ? nextTurn(request, reviewer) : { text: "A title" },
  );
  try {
    const bench = await createBench(driver.variables(model.url));
    await driver.prepare(bench, model.url);
    await (driver.install?.(bench) ?? install(bench, driver.agent));
    await writeSize(bench, "export const size = 1;\n");
    const ended = run(bench, reviewer.command);
    const early = ended.then(({ stdout, stderr }) =>
      Promise.reject(new Error(`ended early:\n${stdout}${stderr}`)),
    );
    early.catch(() => {});
    const during = <Result>(step: Promise<Result>) => Promise.race([step, early]);

    const person = await during(joinLiveReview(bench.reviewUrl));
    // The model of this test edits no files. The test changes the files with the person's batch, before the agent
    // refreshes.
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

    // The model received these texts in this order.
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
}
