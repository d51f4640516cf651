import { describe, expect, it } from "vitest";
import { install } from "./support/bench.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { planDrivers } from "./support/drivers/plan-drivers.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide } from "./support/reviewer.ts";

const FEEDBACK = "Use stone, not oak.";

/** Tests `sallyport install --project`: the agent loads the files of the repository. */
describe.each(planDrivers.map((driver) => [driver.program, driver] as const))("%s", (name, driver) => {
  it(`${name} ${versionOf(name)}: sends its plans with an installation in the project`, async () => {
    const inProject: Driver = { ...driver, install: (bench) => install(bench, driver.agent, "--project") };
    await rehearse(inProject, async ({ bench, seen, requestsAfter, ended }) => {
      expect(seen.plan).toBe(PLAN);
      await decide(bench.reviewUrl, "deny", { feedback: FEEDBACK });
      await ended;
      expect(holds(requestsAfter, FEEDBACK)).toBe(true);
    });
  });
});
