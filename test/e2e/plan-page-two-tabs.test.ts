import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { openWithoutDraftEvents, restoreConnection } from "../support/lost-draft-events.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

async function openTwoTabs() {
  const review = await startReview(home, hookEvent(samplePlan, home.path));
  const [one, two] = [await openReview(browser, review.url), await openReview(browser, review.url)];
  return { review, one, two };
}

const card = (page: Page, text: string) => page.locator(".sidebar > .cards > .card", { hasText: text });
const field = (page: Page) => page.locator(".composer textarea");

async function writeGeneral(page: Page, text: string): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await card(page, text).waitFor();
}

async function savedAsNewest(page: Page): Promise<void> {
  await page.getByText(/^Draft saved/).waitFor();
  expect(await page.getByText("open in another window").count()).toBe(0);
}

describe("two tabs of a plan review", () => {
  it("show each other's comments at once, keep what is being written, and send all of them", async () => {
    const { review, one, two } = await openTwoTabs();
    await two.page.keyboard.press("g");
    await two.page.keyboard.type("From the second");
    await writeGeneral(one.page, "From the first tab");
    await card(two.page, "From the first tab").waitFor();
    expect(await field(two.page).evaluate((element) => element === document.activeElement)).toBe(true);
    await two.page.keyboard.type(" tab");
    await two.page.keyboard.press("Control+Enter");
    await card(one.page, "From the second tab").waitFor();
    await card(one.page, "From the first tab")
      .getByRole("button", { name: /^Delete/ })
      .click();
    await expect.poll(() => card(two.page, "From the first tab").count()).toBe(0);
    await one.page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await card(two.page, "From the first tab").waitFor();
    await savedAsNewest(one.page);
    await savedAsNewest(two.page);

    await two.page.keyboard.press("x");
    await two.page.locator("[data-irreversible][aria-disabled=false]").waitFor();
    await two.page.keyboard.press("Control+Enter");
    const { stdout } = await review.ended;
    for (const text of ["From the first tab", "From the second tab"]) expect(stdout).toContain(text);
    expect([one.errors, two.errors]).toEqual([[], []]);
  });

  it("keep the comment that is being written in one through a save of the other and a reload", async () => {
    const { review, one, two } = await openTwoTabs();
    await one.page.keyboard.press("g");
    await one.page.keyboard.type("Half a thought");
    await savedAsNewest(one.page);
    await writeGeneral(two.page, "Meanwhile");
    await card(one.page, "Meanwhile").waitFor();
    await two.page.keyboard.press("g");
    await two.page.keyboard.type("Another half");
    await savedAsNewest(two.page);
    await one.page.reload();
    await expect.poll(() => field(one.page).inputValue()).toBe("Half a thought");
    expect(await field(two.page).inputValue()).toBe("Another half");
    await two.page.reload();
    await expect.poll(() => field(two.page).inputValue()).toBe("Another half");
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("keep both texts of a comment that both edit", async () => {
    const { review, one, two } = await openTwoTabs();
    await writeGeneral(one.page, "As it was");
    for (const { page } of [one, two]) {
      await card(page, "As it was").getByRole("button", { name: /^Edit/ }).click();
      await field(page).waitFor();
    }
    await field(two.page).fill("From the second tab");
    await field(one.page).fill("From the first tab");
    await one.page.keyboard.press("Control+Enter");
    await card(two.page, "From the first tab").waitFor();
    expect(await field(two.page).inputValue()).toBe("From the second tab");
    await two.page.keyboard.press("Control+Enter");
    await card(one.page, "From the second tab").waitFor();
    for (const { page } of [one, two])
      await expect.poll(() => page.locator(".sidebar > .cards > .card").count()).toBe(2);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("show the plan as it is edited in either, with the comments at their text", async () => {
    const { review, one, two } = await openTwoTabs();
    await selectText(two.page, "Every deploy");
    await two.page.keyboard.press("c");
    await two.page.keyboard.type("How often?");
    await two.page.keyboard.press("Control+Enter");
    const lines = (page: Page) => card(page, "How often?").locator(".card-lines").innerText();
    await card(one.page, "How often?").waitFor();
    const before = Number(/\d+/.exec(await lines(two.page))?.[0]);
    await one.page.keyboard.press("E");
    await one.page.getByLabel("The plan's Markdown").fill(`Added first.\n\n${samplePlan}`);
    await two.page.locator(".plan p", { hasText: "Added first." }).waitFor();
    await expect.poll(() => lines(two.page)).toBe(`line ${before + 2}`);
    // The draft still has the positions before the edit, because the editor has not been closed.
    await savedAsNewest(one.page);
    await one.page.reload();
    await expect.poll(() => lines(one.page)).toBe(`line ${before + 2}`);
    review.child.kill("SIGTERM");
    await review.ended;
  });

  it("catch up when the connection is restored", async () => {
    const review = await startReview(home, hookEvent(samplePlan, home.path));
    const one = await openReview(browser, review.url);
    const two = await openWithoutDraftEvents(browser, review.url);
    await writeGeneral(one.page, "Meanwhile");
    await savedAsNewest(one.page);
    expect(await card(two, "Meanwhile").count()).toBe(0);
    const { sessionId } = await (await fetch(new URL("/api/plan", review.url))).json();
    await restoreConnection(two, sessionId);
    await card(two, "Meanwhile").waitFor();
    review.child.kill("SIGTERM");
    await review.ended;
  });
});
