import { describe, expect, it } from "vitest";
import { install } from "./support/bench.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { livePlanDrivers } from "./support/drivers/plan-drivers.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN, presentAgain, rehearse } from "./support/rehearsal.ts";
import { openPlan, postAsPage } from "./support/reviewer.ts";

const FEEDBACK = "Use stone, not oak.";
const REVISED = "# Plan, revised: «ß» 🚀\n\n1. Read `src/`.\n";

/** Tests `sallyport install --live`: each revised plan is the next round of one review. */
describe.each(livePlanDrivers.map((driver) => [driver.program, driver] as const))("%s", (name, driver) => {
  it(`${name} ${versionOf(name)}: two plans are two rounds of one live review`, async () => {
    const live: Driver = { ...driver, install: (bench) => install(bench, driver.agent, "--live") };
    await rehearse(
      live,
      async ({ bench, requestsAfter, requests, ended }) => {
        await expect
          .poll(() => openPlan(bench.reviewUrl))
          .toMatchObject({ plan: PLAN, live: { round: 1, agent: { state: "waiting" } } });
        await postAsPage(bench.reviewUrl, "/api/send", { feedback: FEEDBACK });
        await expect
          .poll(() => openPlan(bench.reviewUrl))
          .toMatchObject({ plan: REVISED, live: { round: 2, agent: { state: "waiting" } } });
        expect(holds(requestsAfter, FEEDBACK)).toBe(true);
        await postAsPage(bench.reviewUrl, "/api/finish", { approved: true });
        await ended;
        if (driver.reportsApproval) expect(requests.at(-1)?.raw).toMatch(/approved/i);
      },
      presentAgain(driver, FEEDBACK, REVISED),
    );
  });
});
