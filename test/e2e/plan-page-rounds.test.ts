import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openPage, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

describe("the second round of a plan", () => {
  it("shows what changed, beside the earlier feedback", async () => {
    const first = await startReview(home, hookEvent(samplePlan, home.path));
    const one = await openReview(browser, first.url);
    await selectText(one.page, "Every deploy signs everybody out");
    await one.page.keyboard.press("c");
    await one.page.keyboard.type("Say how many");
    await one.page.keyboard.press("Control+Enter");
    await selectText(one.page, "We accept that for now");
    await one.page.keyboard.press("!");
    await one.page.keyboard.type("I do **not**");
    await one.page.keyboard.press("Control+Enter");
    await one.page.keyboard.press("x");
    await one.page.getByRole("button", { name: /^Send to/ }).click();
    await first.ended;

    const revised = samplePlan
      .replace("Every deploy signs everybody out.", "Every deploy signs 12,000 people out.")
      .replace("## Risks", "## Rollback\n\nSwitch the flag back.\n\n## Risks");
    const second = await startReview(home, hookEvent(revised, home.path));
    const { page } = await openReview(browser, second.url);
    const asked = page.getByRole("region", { name: "Comments of round 1" });
    await asked.waitFor();
    expect(await asked.locator(".card").allTextContents()).toEqual([
      expect.stringMatching(/text changed.*Say how many/s),
      expect.stringMatching(/text unchanged.*I do not/s),
    ]);
    expect(await asked.locator("strong").allTextContents()).toEqual(["not"]);
    await asked.getByRole("button", { name: "Show", exact: true }).first().click();
    expect(await page.locator("[data-cursor]").textContent()).toContain("12,000 people");
    await asked.getByRole("button", { name: "Ask again" }).click();
    expect(await page.locator(".sidebar > .cards .card").textContent()).toContain("I do not");

    await page.getByRole("button", { name: "Show changes" }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await changes.getByText("3 parts changed since round 1").waitFor();
    expect(await changes.locator(".plan [data-change]").allTextContents()).toEqual([
      expect.stringContaining("12,000 people"),
      expect.stringContaining("Rollback"),
      expect.stringContaining("Switch the flag back"),
    ]);
    expect(await changes.locator(".plan .removed-text").textContent()).toContain("everybody");
    await page.getByText("Raw diff").click();
    expect(await page.locator(".raw-removed").textContent()).toContain("-We keep sessions in process memory");
    second.child.kill("SIGTERM");
    await second.ended;
  });
});

describe("the changes of a plan with long lines", () => {
  const long = (word: string) =>
    `# Long lines\n\n\`\`\`ts\nconst ${word} = "${"x".repeat(400)}";\n\`\`\`\n\n${"y".repeat(500)}${word}\n\n` +
    `| a | b |\n|---|---|\n| ${"cell ".repeat(30)} | \`${"z".repeat(200)}\` ${word} |\n`;

  it.each([360, 900, 1440])("stay in their column at %i px, rendered and raw", async (width) => {
    const first = await startReview(home, hookEvent(long(`before${width}`), home.path));
    await fetch(new URL("/api/deny", first.url), { method: "POST" });
    await first.ended;
    const second = await startReview(home, hookEvent(long(`after${width}`), home.path));
    const { page } = await openReview(browser, second.url, { width });
    await page.getByRole("button", { name: "Show changes" }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    for (const shown of ["Rendered", "Raw diff"]) {
      await changes.getByText(shown, { exact: true }).click();
      await changes
        .locator(shown === "Rendered" ? ".plan [data-change]" : ".raw-added")
        .first()
        .waitFor();
      const boxes = await page.evaluate(() => {
        const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
        return {
          scrolls: document.documentElement.scrollWidth - innerWidth,
          right: box(".changes")?.right ?? 0,
          column: box(".main")?.right ?? 0,
        };
      });
      expect(boxes.scrolls).toBeLessThanOrEqual(0);
      expect(boxes.right).toBeLessThanOrEqual(boxes.column + 0.5);
    }
    second.child.kill("SIGTERM");
    await second.ended;
  });
});

describe("the plan page without a plan or a server", () => {
  it("states that there is no plan, and asks for one", async () => {
    const event = JSON.parse(hookEvent("", home.path));
    const review = await startReview(home, JSON.stringify({ ...event, tool_input: {} }));
    const { page } = await openPage(browser, review.url);
    await page.getByRole("heading", { name: "There is no plan to review" }).waitFor();
    await page.getByRole("button", { name: "Ask for a plan" }).click();
    const { stdout } = await review.ended;
    expect(JSON.parse(stdout).hookSpecificOutput.decision.behavior).toBe("deny");
  });

  it("states that the agent has gone, and offers the annotations for copying", async () => {
    const review = await startReview(home, "# Left alone\n\nText.\n");
    const { page } = await openReview(browser, review.url);
    await page.keyboard.press("g");
    await page.keyboard.type("Worth keeping");
    await page.keyboard.press("Control+Enter");
    review.child.kill("SIGTERM");
    await page.getByRole("heading", { name: "This review was stopped" }).waitFor();
    expect(await page.locator(".sent-feedback-final").textContent()).toContain("Worth keeping");
    await review.ended;
  });

  it("states that another tab has decided", async () => {
    const review = await startReview(home, "# Twice\n\nText.\n");
    const [one, two] = [await openReview(browser, review.url), await openReview(browser, review.url)];
    await two.page.keyboard.press("g");
    await two.page.keyboard.type("Not added yet");
    await one.page.getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await one.page.getByRole("heading", { name: "Plan approved" }).waitFor();
    await two.page.getByRole("heading", { name: "Already decided" }).waitFor();
    expect(await two.page.locator(".sent-feedback-final").textContent()).toContain("Not added yet");
    await review.ended;
  });
});
