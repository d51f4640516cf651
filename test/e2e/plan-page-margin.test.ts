import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const paragraphs = Array.from(
  { length: 40 },
  (_, index) => `Paragraph ${index + 1} says something at length.`,
);
const plan = `# Long plan\n\n${paragraphs.join("\n\n")}\n`;

async function annotate(page: Page, text: string, key: string, typed: string): Promise<void> {
  await selectText(page, text);
  await page.keyboard.press(key);
  await page.keyboard.type(typed);
  await page.keyboard.press("Control+Enter");
}

/** Pixels from the top of a paragraph to that of a card. */
async function distance(page: Page, text: string, card: string): Promise<number> {
  const paragraph = await page.locator(".plan p", { hasText: text }).boundingBox();
  const box = await page.locator(".sidebar .card", { hasText: card }).boundingBox();
  return Math.abs((paragraph?.y ?? 0) - (box?.y ?? Number.NaN));
}

describe("comments on a wide screen", () => {
  it("stand beside their text, and show in the next round whether they were met", async () => {
    const first = await startReview(home, hookEvent(plan, home.path));
    const one = await openReview(browser, first.url, { width: 1_500, height: 700 });
    await annotate(one.page, "Paragraph 9 says something at length.", "c", "First comment");
    await annotate(one.page, "Paragraph 30 says something at length.", "c", "Second comment");
    await expect.poll(() => distance(one.page, "Paragraph 9 ", "First comment")).toBeLessThan(12);
    await expect.poll(() => distance(one.page, "Paragraph 30 ", "Second comment")).toBeLessThan(12);
    await one.page.evaluate(() => scrollTo(0, 600));
    await expect.poll(() => distance(one.page, "Paragraph 30 ", "Second comment")).toBeLessThan(12);

    await one.page.setViewportSize({ width: 1_100, height: 700 });
    await expect.poll(() => one.page.locator(".sidebar-margin").count()).toBe(0);
    await one.page.setViewportSize({ width: 1_500, height: 700 });
    await selectText(one.page, "Paragraph 12 says something at length.");
    await one.page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await selectText(one.page, "Paragraph 20 says something at length.");
    await one.page.getByRole("toolbar").getByRole("button", { name: "Insert" }).click();
    await one.page.getByLabel("Insert after it").fill("An inserted sentence.");
    await one.page.keyboard.press("Control+Enter");
    await one.page.keyboard.press("x");
    await one.page.getByRole("button", { name: /^Send to/ }).click();
    await first.ended;

    const revised = plan.replace("Paragraph 20 says something at length.", "$&\n\nAn inserted sentence.");
    const second = await startReview(home, hookEvent(revised, home.path));
    const { page, errors } = await openReview(browser, second.url, { width: 1_500, height: 700 });
    await page.locator(".card-met", { hasText: "inserted as requested" }).waitFor();
    expect(await page.locator(".card-unmet").allInnerTexts()).toEqual(["still there"]);
    await expect.poll(() => distance(page, "Paragraph 30 ", "Second comment")).toBeLessThan(12);
    expect(errors).toEqual([]);
    second.child.kill("SIGTERM");
    await second.ended;
  });
});
