import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { changedRepository, draftSaved, openCodeReview } from "../support/code-review-page.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

it("can be worked from the first file to the sent feedback by keyboard alone", async () => {
  const review = await openCodeReview(browser, await changedRepository());
  const { page } = review;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const cursor = page.locator(".row-cursor .code.cursor");
  await page.locator(".code-text").first().waitFor();

  await press("n");
  await expect.poll(() => cursor.textContent()).toContain("discount(price)");
  expect(await page.evaluate(() => document.activeElement?.classList.contains("row-cursor"))).toBe(true);
  await press("h");
  await expect.poll(() => cursor.textContent()).toContain("price * 30");
  await press("l", "J", "J", "!");
  await page.locator(".comment-open textarea").waitFor();
  await page.keyboard.type("Three lines of worry");
  await press("Control+Enter");
  await expect.poll(() => page.locator(".comment-concern").textContent()).toContain("lines 30-32");

  await press("n", "s");
  await page.locator(".suggestion-code").waitFor();
  await press("Escape", "N");
  await expect.poll(() => page.locator(".comment").count()).toBe(1);
  await press("e");
  await page.locator(".comment-open textarea").waitFor();
  await press("Control+Enter", "v", "]", "o", "b", "b", "t");
  await page.keyboard.type("fresh");
  await expect.poll(() => page.locator(".tree-file").count()).toBe(1);
  await press("Escape");

  await press("?");
  await expect.poll(() => page.getByRole("dialog").textContent()).toContain("Raise a concern");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("Control+k");
  await page.getByRole("combobox", { name: "Command or file" }).waitFor();
  await page.keyboard.type("unified");
  await press("Enter");
  await page.locator(".row.unified").first().waitFor();
  await draftSaved(page);

  await press("Control+Shift+Enter");
  const text = page.getByLabel("Feedback in Markdown, exactly as it will be sent");
  await expect.poll(() => text.inputValue()).toContain("Three lines of worry");
  await page.getByRole("dialog").getByRole("button", { name: "Send feedback" }).focus();
  await press("Enter");
  const { stdout } = await review.ended;
  expect(stdout).toContain("Concern on lines 30-32 (new side)");
  expect(review.errors).toEqual([]);
});
