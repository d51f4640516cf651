import { describe, expect, it } from "vitest";
import type { Driver } from "./support/drivers/driver.ts";
import { planDrivers } from "./support/drivers/plan-drivers.ts";
import type { ModelRequest } from "./support/model-fake.ts";
import { versionOf } from "./support/programs.ts";
import { holds, PLAN, rehearse } from "./support/rehearsal.ts";
import { decide } from "./support/reviewer.ts";

const NOTE = 'Keep the old flag. 👩‍👩‍👧 «así» — שלום\u2028\ttab, `code`, $HOME, \\back, "quotes" </tag>';
const EDITED = '# Mine: größer 🚀\n\n1. Only this «ß», "quotes" & <tag>.\n';
const COMMENTS = `# Feedback\n\n> Read \`src/\`.\n\nNot there: **lib**.\r\n\n${NOTE}\n\n\`\`\`ts\nconst a = "\${b}";\n\`\`\``;
/** One MiB of characters of two and four bytes, so that some of them are split at any chunk boundary of a pipe. */
const LONG = `Begin. ${"01234 größer 🚀\n".repeat(55_189)}The end, 1 MiB later.`;

/**
 * Tests the whole chain with the real programs: the agent presents a plan, its hook starts a review, the person
 * decides, and the agent's next request to its model contains the person's text unchanged.
 */
describe.each(planDrivers.map((driver) => [driver.program, driver] as const))("%s", (name, driver) => {
  const called = (what: string) => `${name} ${versionOf(name)}: ${what}`;

  it(called("a plan that is approved"), async () => {
    const { seen, requestsAfter } = await review(driver, "approve", {});
    expect(seen.plan).toBe(PLAN);
    // The tool of the plugin for OpenCode and Kilo waits without a limit. A hook has a time limit, which the page shows.
    expect(seen.caller.deadline === undefined).toBe(["opencode", "kilo"].includes(driver.agent));
    if (driver.reportsApproval) expect(getLastMessages(requestsAfter)).toMatch(/approved/i);
    else expect(requestsAfter).toEqual([]);
  });

  it(called("an approval with a note"), async () => {
    const { seen, requestsAfter } = await review(driver, "approve", { feedback: NOTE });
    // If the page reported that a note cannot be delivered, the note must not be delivered.
    const note = driver.toDeliveredNote?.(NOTE) ?? NOTE;
    expect(holds(requestsAfter, note)).toBe(seen.caller.approvalNote !== "none");
  });

  it(called("an approval of an edited plan"), async () => {
    const { seen, requestsAfter } = await review(driver, "approve", { plan: EDITED });
    // If the page reported that an edited plan cannot be delivered, it must not be delivered.
    expect(seen.caller.takesEditedPlan).toBe(driver.agent !== "codex");
    const edited = driver.toDeliveredNote?.(EDITED) ?? EDITED;
    expect(holds(requestsAfter, edited.trim())).toBe(seen.caller.takesEditedPlan);
  });

  it(called("a denial with comments"), async () => {
    const { requestsAfter } = await review(driver, "deny", { feedback: COMMENTS });
    expect(holds(requestsAfter, driver.toDelivered(COMMENTS))).toBe(true);
  });

  it(called("a denial with a mebibyte of feedback"), async () => {
    const { requestsAfter } = await review(driver, "deny", { feedback: LONG });
    if (driver.readLongText) expect((await driver.readLongText(requestsAfter)).includes(LONG)).toBe(true);
    else expect(holds(requestsAfter, LONG)).toBe(true);
  });
});

/** Runs the complete turn: the agent presents the plan, the person decides, and the agent finishes. */
function review(driver: Driver, route: "approve" | "deny", body: object) {
  return rehearse(driver, async ({ bench, seen, requestsAfter, ended }) => {
    await decide(bench.reviewUrl, route, body);
    await ended;
    return { seen, requestsAfter };
  });
}

function getLastMessages([first]: readonly ModelRequest[]): string {
  return JSON.stringify((first?.body.messages ?? first?.body.contents ?? first?.body.input)?.slice(-2));
}
