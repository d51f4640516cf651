import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser, newPage, openReview, selectText } from "../support/browser.ts";
import { printedPage } from "../support/firefox.ts";
import { type Home, hookEvent, makeHome, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

let browser: Browser;
let home: Home;
let review: RunningReview;
/** Reads the pixels of screenshots. It is opened first, because the color scheme of the last context applies to all. */
let blank: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  blank = await newPage(browser);
});
afterAll(() => browser.close());
beforeEach(async () => {
  home = await makeHome();
  review = await startReview(home, hookEvent(samplePlan, home.path));
});
afterEach(async () => {
  review.child.kill("SIGTERM");
  await review.ended;
  await home.remove();
});

/** Returns how many pixels of the plan have a color, which is written as `red,green,blue`. */
async function countPixels(page: Page, color: string): Promise<number> {
  const screenshot = await page.locator(".plan").screenshot();
  return blank.evaluate(
    async ([data, wanted]) => {
      const image = await createImageBitmap(await (await fetch(data)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context?.drawImage(image, 0, 0);
      const { data: pixels = new Uint8ClampedArray() } =
        context?.getImageData(0, 0, image.width, image.height) ?? {};
      let found = 0;
      for (let at = 0; at < pixels.length; at += 4)
        if (`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}` === wanted) found += 1;
      return found;
    },
    [`data:image/png;base64,${screenshot.toString("base64")}`, color] as const,
  );
}

async function comment(page: Page, on: string, text: string): Promise<void> {
  await selectText(page, on);
  await page.keyboard.press("c");
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await page.locator(".card", { hasText: text }).waitFor();
}

describe("annotated text", () => {
  it.each([
    ["light", "253,238,187", "255,215,94"],
    ["dark", "74,61,18", "122,93,7"],
  ] as const)("is painted in its color: %s", async (theme, ofComments, ofTheActive) => {
    const { page } = await openReview(browser, review.url, { theme });
    expect(await countPixels(page, ofComments)).toBe(0);
    await comment(page, "Every deploy signs everybody out", "Everybody?");
    await comment(page, "single point of failure", "For now?");
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await expect.poll(() => countPixels(page, ofComments)).toBeGreaterThan(500);
    await expect.poll(() => countPixels(page, ofTheActive)).toBeGreaterThan(500);
  });
});

describe("the clipboard", () => {
  it("receives a copied code block, which is pasted into a comment", async () => {
    const { page } = await openReview(browser, review.url);
    await page.locator(".plan pre").hover();
    await page.getByRole("button", { name: "Copy code" }).click();
    await page.keyboard.press("g");
    const field = page.locator(".composer textarea");
    await field.click();
    await page.keyboard.press("Control+v");
    await expect.poll(() => field.inputValue()).toContain("get(id: string): Promise<Session | undefined>;");
  });
});

describe("a printed plan", () => {
  it("has all text and comments, and no controls", async () => {
    const { page } = await openReview(browser, review.url);
    await comment(page, "single point of failure", "Printed as well");
    const { text } = await printedPage(page);
    for (const line of ["Move sessions to Redis", "RedisSessionStore", "Because it will happen."])
      expect(text).toContain(line);
    expect(text).toContain("Printed as well");
    expect(text).not.toContain("Request changes");
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
    await page.getByRole("button", { name: /^Request changes/ }).waitFor();
  });
});
