import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "../support/accessibility.ts";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = makeHomeForEachTest();
const browser = await launchBrowserForFile();

async function openPalette(page: Page) {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Command, heading or comment" });
  await field.waitFor();
  return field;
}

const groups = (page: Page) =>
  page
    .getByRole("listbox", { name: "Results" })
    .getByRole("group")
    .evaluateAll((found) => found.map((group) => group.getAttribute("aria-label")));

describe("the palette of the plan page", () => {
  it("lists actions first, and leads to headings, comments and other reviews", async () => {
    const text = `${samplePlan}${"\nFiller.\n".repeat(60)}\n## Rollout\n\nOne cluster at a time.\n`;
    const other = await startReview(home, hookEvent("# Another plan\n", home.path));
    const review = await startReview(home, hookEvent(text, home.path));
    const { page, errors } = await openReview(browser, review.url);
    await page.getByRole("button", { name: "1 more waiting" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.type("There is no **way back** from Redis");
    await page.keyboard.press("Control+Enter");

    let field = await openPalette(page);
    expect(await groups(page)).toEqual(["Actions", "Headings", "Comments", "Open reviews", "Move"]);
    await field.fill("ROLL");
    await expect.poll(() => groups(page)).toEqual(["Headings"]);
    await page.keyboard.press("Enter");
    const heading = page.locator("#rollout");
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true);
    const { y = -1 } = (await heading.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(40);
    expect(y).toBeLessThan(860);

    field = await openPalette(page);
    await field.fill("way back");
    const found = page.getByRole("option");
    await expect.poll(() => found.count()).toBe(1);
    expect(await found.innerText()).toMatch(/^There is no way back from Redis\s+General comment$/);
    await page.keyboard.press("Enter");
    await page.locator(".card-active", { hasText: "way back" }).waitFor();

    await page.keyboard.press("s");
    field = await openPalette(page);
    await field.fill("another plan");
    const opened = page.context().waitForEvent("page");
    await page.keyboard.press("Enter");
    expect((await opened).url()).toContain(new URL(other.url).port);
    expect(errors).toEqual([]);
    other.child.kill("SIGTERM");
    review.child.kill("SIGTERM");
  });

  it("runs a command on the text that was selected before it opened", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url);
    await selectText(page, "signs everybody out");
    const field = await openPalette(page);
    await field.fill("for removal");
    await page.keyboard.press("Enter");
    const card = page.locator(".card", { hasText: "signs everybody out" });
    await card.waitFor();
    expect(await card.innerText()).toContain("Delete");
    review.child.kill("SIGTERM");
  });

  it.each(["light", "dark"] as const)("is accessible by keyboard and screen reader, %s", async (theme) => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const { page } = await openReview(browser, review.url, { theme, width: 360, height: 740 });
    const field = await openPalette(page);
    await field.fill("e");
    await page.keyboard.press("ArrowUp");
    const active = await field.getAttribute("aria-activedescendant");
    const last = page.getByRole("option").last();
    expect([active, await last.getAttribute("aria-selected")]).toEqual([
      await last.getAttribute("id"),
      "true",
    ]);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await field.fill("nothing of that kind");
    await page.getByRole("status").filter({ hasText: "No matching entries." }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    review.child.kill("SIGTERM");
  });
});
