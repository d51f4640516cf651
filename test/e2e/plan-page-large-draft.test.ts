import { expect, it } from "vitest";
import { launchBrowserForFile, openReview } from "../support/browser.ts";
import { hookEvent, makeHomeForEachTest, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const browser = await launchBrowserForFile();
const home = makeHomeForEachTest();

// This file runs only in Chromium: Firefox cancels requests without keepalive when their tab closes.
it("saves a draft that is too large for keepalive if the tab closes at once", async () => {
  const review = await startReview(home, hookEvent(samplePlan, home.path));
  const { page } = await openReview(browser, review.url);
  await page.keyboard.press("g");
  await page.keyboard.type("Begin");
  await page.getByText(/^Draft saved/).waitFor();
  await page.locator("textarea:focus").fill(`Begin ${"x".repeat(100_000)} end`);
  await page.close();
  const isSaved = async () => {
    const response = await fetch(new URL("/api/draft", review.url));
    return (await response.text()).includes(" end");
  };
  await expect.poll(isSaved).toBe(true);
  review.child.kill("SIGTERM");
  await review.ended;
});
