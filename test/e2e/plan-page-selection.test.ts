import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launchBrowserForFile, openReview, selectText } from "../support/browser.ts";
import { hookEvent, makeHomeForFile, type RunningReview, startReview } from "../support/plan-review.ts";
import { samplePlan } from "../support/plans.ts";

const home = await makeHomeForFile();
const browser = await launchBrowserForFile();

/** Opens a plan in a folder of its own: the page would show comments that another review left unsent. */
async function open(extra: string): Promise<{ readonly page: Page; readonly review: RunningReview }> {
  const folder = join(home.path, extra);
  await mkdir(folder, { recursive: true });
  const review = await startReview(home, hookEvent(`${samplePlan}\n${extra}\n`, folder));
  return { page: (await openReview(browser, review.url)).page, review };
}

async function end(review: RunningReview): Promise<void> {
  review.child.kill("SIGTERM");
  await review.ended;
}

describe("a selection", () => {
  it("is quoted in whole words, and its blocks on lines of their own", async () => {
    const { page, review } = await open("Words.");
    await selectText(page, "ploy signs everyb");
    await page.keyboard.press("c");
    await page.keyboard.type("In words");
    await page.keyboard.press("Control+Enter");
    const quotes = page.locator(".sidebar .card-quote");
    await expect.poll(() => quotes.allTextContents()).toEqual(["deploy signs everybody"]);

    const edges = await page.evaluate(() => {
      const items = [...document.querySelectorAll(".plan ol > li")];
      return [2, 8].map((offset, at) => {
        const node = document.createTreeWalker(items[at] ?? document.body, NodeFilter.SHOW_TEXT).nextNode();
        const range = document.createRange();
        range.setStart(node ?? document.body, offset - 1);
        range.setEnd(node ?? document.body, offset);
        const { right, top, height } = range.getBoundingClientRect();
        return { x: right, y: top + height / 2 };
      });
    });
    const [from = { x: 0, y: 0 }, to = { x: 0, y: 0 }] = edges;
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("toolbar").waitFor();
    await page.keyboard.press("!");
    await page.keyboard.type("Over two items");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => quotes.allTextContents()).toContain("Add the client and a setting.\nWrite the");
    await end(review);
  });

  it("has one list of quick labels, by key and by pointer, with arrow keys", async () => {
    const { page, review } = await open("Labels.");
    const list = page.getByRole("menu", { name: "Quick label" });
    const names = () => list.getByRole("menuitem").allTextContents();
    await selectText(page, "Every deploy");
    await page.getByRole("toolbar").getByRole("button", { name: "Quick label" }).click();
    await list.waitFor();
    const byPointer = await names();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });

    await selectText(page, "single point of failure");
    await page.keyboard.press("l");
    await list.waitFor();
    expect(await names()).toEqual(byPointer);
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe(byPointer[0]);
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe(byPointer[1]);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await focused()).toBe(byPointer.at(-1));
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const label = (byPointer[1] ?? "").replace(/\s*\d$/, "");
    await expect
      .poll(() => page.locator(".sidebar .card").allTextContents())
      .toEqual([expect.stringContaining(label)]);
    await end(review);
  });
});

describe("a comment at the end of the plan", () => {
  it.each([1280, 360])("has its buttons above the messages, at %i pixels", async (width) => {
    const { page, review } = await open(`End ${width}.`);
    await page.setViewportSize({ width, height: 780 });
    const discard = page.getByRole("button", { name: "Discard", exact: true });
    for (const text of ["One", "Two"]) {
      await page.keyboard.press("g");
      await page.keyboard.type(text);
      await discard.click();
    }
    await page.locator(".toast").nth(1).waitFor();
    await page
      .locator(".plan .markdown > *")
      .last()
      .evaluate((block) => {
        block.scrollIntoView({ block: "end" });
        getSelection()?.selectAllChildren(block);
      });
    await page.keyboard.type("Three");
    await page.locator(".sheet > .composer").waitFor();
    const covered = () =>
      page.locator(".sheet > .composer button").evaluateAll((buttons) =>
        buttons
          .filter((button) => {
            const { x, y, width, height } = button.getBoundingClientRect();
            return !button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
          })
          .map((button) => button.textContent),
      );
    await expect.poll(covered).toEqual([]);
    expect(await page.locator(".toast").count()).toBe(2);
    await end(review);
  });
});

describe("the header", () => {
  it("keeps its layout when the first comment is added", async () => {
    const { page, review } = await open("Header.");
    const choice = page.getByRole("radiogroup", { name: "View" }).or(page.locator(".header .segmented"));
    const before = await choice.first().boundingBox();
    expect(await page.locator(".header-decide").textContent()).toContain("Deny");
    await page.keyboard.press("g");
    await page.keyboard.type("The first one");
    await page.keyboard.press("Control+Enter");
    await page.locator(".header-decide", { hasText: "Request changes" }).waitFor();
    expect(Math.abs(((await choice.first().boundingBox())?.x ?? 0) - (before?.x ?? -1_000))).toBeLessThan(12);
    await end(review);
  });

  it("shows two notices in one row", async () => {
    const first = await open("Notices.");
    await first.page.keyboard.press("g");
    await first.page.keyboard.type("Say more");
    await first.page.keyboard.press("Control+Enter");
    await first.page.keyboard.press("x");
    // The only button of the dialog that sends takes the key wherever the focus is.
    await first.page.getByRole("dialog").getByText("Preview", { exact: true }).click();
    await first.page.locator('dialog [data-irreversible][aria-disabled="false"] kbd').first().waitFor();
    await first.page.keyboard.press("Control+Enter");
    await first.page.getByRole("heading", { name: "Changes requested" }).waitFor();
    await expect.poll(() => first.page.title()).toBe("Changes requested");
    await first.review.ended;

    const revised = `${samplePlan}\nNotices, and more.\n`;
    const folder = join(home.path, "Notices.");
    const killed = await startReview(home, hookEvent(revised, folder));
    const draft = await openReview(browser, killed.url);
    await draft.page.keyboard.press("g");
    await draft.page.keyboard.type("Kept");
    await draft.page.keyboard.press("Control+Enter");
    await draft.page.getByText(/Draft saved/).waitFor();
    killed.child.kill("SIGKILL");
    await killed.ended;
    const second = await startReview(home, hookEvent(revised, folder));
    const { page } = await openReview(browser, second.url);
    const banners = page.locator(".banners .banner");
    await expect.poll(() => banners.count()).toBe(2);
    const tops = await banners.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    await end(second);
  });
});
