import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, newContext } from "../support/browser.ts";
import { changedRepository, numberCell, startCodeReview } from "../support/code-review-page.ts";
import { hookEvent, makeHomeForFile, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

const phone = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce",
} as const;

/** Selects text as the handles of a touch screen do: step by step, with nothing but `selectionchange`. */
const selectByHandles = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      getSelection()?.setBaseAndExtent(element, 0, element, 1);
      getSelection()?.extend(element, element.childNodes.length);
    });

const isInWindow = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
  });

describe("touch screens", () => {
  it("annotates a plan by a tap on a block and by selection handles", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const context = await newContext(browser, phone);
    const page = await context.newPage();
    await page.goto(review.url);
    await page.locator(".page[data-view] .plan .markdown > *").first().waitFor();
    const toolbar = page.getByRole("toolbar", { name: "Annotate the selection" });

    await page.locator(".plan p").first().tap();
    await toolbar.waitFor();
    expect(await isInWindow(page, ".selection-toolbar")).toBe(true);
    await toolbar.getByRole("button", { name: "Comment" }).tap();
    await page.locator(".composer textarea").fill("By a tap");
    await page.getByRole("button", { name: "Add comment" }).tap();

    await selectByHandles(page, ".plan li");
    await toolbar.waitFor();
    await toolbar.getByRole("button", { name: "Concern" }).tap();
    await page.locator(".composer textarea").fill("By the handles");
    await page.getByRole("button", { name: "Add comment" }).tap();
    await expect.poll(() => page.locator(".sidebar-toggle .badge").textContent()).toBe("2");

    // A tap beside the plan hides the toolbar; a tap on the next block shows it there.
    await page.locator(".plan p").first().tap();
    await page.locator(".plan h2").first().tap();
    await toolbar.waitFor();
    await page.locator(".header-title").tap();
    await toolbar.waitFor({ state: "detached" });

    await page
      .locator(".header-decide")
      .getByRole("button", { name: /Request changes/ })
      .tap();
    await page.getByRole("button", { name: /^Send to/ }).tap();
    await page.getByRole("heading", { name: "Changes requested" }).waitFor();
    const { message } = JSON.parse((await review.ended).stdout).hookSpecificOutput.decision;
    expect(message).toContain("> By a tap");
    expect(message).toContain("> By the handles");
    await context.close();
  });

  it("comments on code by a tap on a number, a line or its sign, and by selection handles", async () => {
    const review = await startCodeReview(await changedRepository());
    const context = await newContext(browser, phone);
    const page = await context.newPage();
    await page.goto(review.url);
    await page.locator(".review:not(.prerendered) .code-text").first().waitFor();
    const write = async (text: string) => {
      await page.locator(".comment-open textarea").fill(text);
      await page.getByRole("button", { name: "Done" }).tap();
      await page.locator(".comment-open").waitFor({ state: "detached" });
    };

    await numberCell(page, "src/cart.ts", "new", 30).tap();
    await write("By its number");

    const line = page.locator('[data-path="src/cart.ts"] .code.removed').first();
    await line.tap();
    await expect
      .poll(() =>
        page
          .locator(".row-cursor .num")
          .first()
          .evaluate((cell) => getComputedStyle(cell, "::before").content),
      )
      .toContain("+");
    await page.locator(".row-cursor .num").first().tap();
    await write("By its sign");

    await selectByHandles(page, '[data-path="src/cart.ts"] .code.added .code-text');
    const toolbar = page.getByRole("toolbar", { name: "Comment on the selected lines" });
    await toolbar.waitFor();
    expect(await isInWindow(page, ".line-actions")).toBe(true);
    await toolbar.getByRole("button", { name: "Concern" }).tap();
    await write("By the handles");
    await expect.poll(() => page.locator(".status-line").textContent()).toContain("3 comments");
    await context.close();
    review.child.kill("SIGTERM");
  });
});
