import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeServer } from "../support/code-server.ts";
import { planServer } from "../support/plan-server.ts";
import { testRepository } from "../support/test-repository.ts";

it("R16 one of 100 concurrent decisions is taken and recorded", async () => {
  const { context, folder, post } = await planServer();
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? post("/api/approve", { feedback: `n${index}` })
        : post("/api/deny", { feedback: `n${index}` }),
    ),
  );
  const taken = responses.flatMap(({ statusCode }, index) => (statusCode === 200 ? [index] : []));
  expect(taken).toHaveLength(1);
  const refused = responses.filter(({ statusCode }) => statusCode === 409);
  expect(refused).toHaveLength(99);
  for (const response of refused) expect(response.json()).toEqual({ error: "Already decided" });
  expect(await readdir(join(folder, "data", "decisions"))).toHaveLength(1);
  expect((await context.records.last())?.decision).toMatchObject({ feedback: `n${taken[0]}` });
  expect(await context.session.outcome).toMatchObject({ decision: { feedback: `n${taken[0]}` } });
});

it("R16 one of 50 concurrent code feedbacks is taken", async () => {
  const { post } = await codeServer(await testRepository({ "a.txt": "a\n" }));
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => post("/api/feedback", { feedback: `n${index}` })),
  );
  expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array(49).fill(409)]);
});

it("R16 the other tab shows that the review was decided", async () => {
  const { context, post } = await planServer();
  const events = context.events.open();
  await post("/api/deny", {});
  let text = "";
  for await (const chunk of events) {
    text += chunk;
    if (text.includes('"decided"') || text.includes("event: decided")) break;
  }
  expect(text).toContain("decided");
});
