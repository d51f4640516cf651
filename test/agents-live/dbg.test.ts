import { it } from "vitest";
import { writeFileSync } from "node:fs";
import { createBench, install } from "./support/bench.ts";
import { geminiCliDriver } from "./support/drivers/gemini-cli.ts";
import { openCodeDriver } from "./support/drivers/opencode.ts";
import { startModelFake } from "./support/model-fake.ts";
import { decide, openPlan } from "./support/reviewer.ts";
it.each([geminiCliDriver, openCodeDriver])("dbg", async (driver) => {
  const model = await startModelFake((request) => request.hasTools ? driver.turn(request, "# P\n\nx\n") : { text: "t" });
  const bench = await createBench(driver.variables(model.url));
  await driver.prepare(bench, model.url);
  await install(bench, driver.agent);
  const ended = driver.start(bench);
  const seen = await openPlan(bench.reviewUrl);
  await decide(bench.reviewUrl, driver === openCodeDriver ? "deny" : "approve", { feedback: "line NOTE\n".repeat(100000) });
  writeFileSync(`/tmp/agents/dbg-${driver.program}.json`, JSON.stringify({ seen, printed: await ended, requests: model.requests.map((r) => r.body) }, null, 1));
  await model.close();
});
